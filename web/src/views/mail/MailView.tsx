import { useMemo } from "react";
import { Link, useSearchParams } from "wouter";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";
import { toAgent, useParam } from "../../shell/links";
import { More } from "../rows/More";
import { onRowKeys } from "../rows/rowKeys";
import { filtersOf } from "./filters";
import { LaneHeads } from "./LaneHeads";
import { labelOf, layLanes } from "./lanes";
import { MailFilterBar } from "./MailFilterBar";
import { MailRow } from "./MailRow";
import { useMail } from "./useMail";
import "../rows/rows.css";
import "./mail.css";

/** The mail timeline: who wrote to whom when, how, and what became of it; newest first and live. */
export default function MailView() {
  const agent = useParam("agent");
  const [params] = useSearchParams();
  const filters = filtersOf(agent, params);
  const mail = useMail(filters);
  return (
    <>
      <div className="rows-head">
        <h1>
          Mail
          {agent && (
            <>
              {" of "}
              <Foreign text={labelOf(agent, mail.entries)} />
            </>
          )}
        </h1>
        {agent && <Link href={toAgent(agent)}>Transcript</Link>}
      </div>
      <MailFilterBar filters={filters} />
      <Timeline mail={mail} />
    </>
  );
}

function Timeline({ mail }: { mail: ReturnType<typeof useMail> }) {
  const { entries } = mail;
  const { lanes, rows } = useMemo(() => layLanes(entries), [entries]);
  if (mail.isPending) return <Loading what="Loading mail" />;
  if (mail.isError && entries.length === 0) return <Failure error={mail.error} />;
  return (
    <>
      {mail.isError && <Failure error={mail.error} />}
      {entries.length === 0 && !mail.hasNextPage && <Empty>No mail is like this.</Empty>}
      {entries.length === 0 && mail.hasNextPage && (
        <Empty>No mail is like this among the newest; what is older has not been looked at yet.</Empty>
      )}
      {entries.length > 0 && <LaneHeads lanes={lanes} />}
      <ol className="rows-list mail-list" aria-label="Messages, newest first" onKeyDown={onRowKeys}>
        {entries.map((entry, index) => (
          <MailRow key={entry.message_id} entry={entry} lanes={lanes} row={rows[index]} />
        ))}
      </ol>
      <More
        hasMore={mail.hasNextPage}
        isBusy={mail.isFetchingNextPage}
        onMore={() => void mail.fetchNextPage()}
        what="messages"
      />
    </>
  );
}
