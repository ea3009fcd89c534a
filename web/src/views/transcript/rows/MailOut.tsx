import { Link } from "wouter";
import { toldEnd } from "../../../shell/ended";
import { Foreign } from "../../../shell/Foreign";
import { toMessage } from "../../../shell/links";
import { shown } from "../../../shell/shown";
import { Pruned } from "../../rows/Pruned";
import type { RowOf } from "../model";
import { Frame } from "./Frame";
import { SpeakerName, wholeOf } from "./LetterView";
import { MessageDeeds } from "./MessageDeeds";
import { Standing } from "./Standing";
import { Text } from "./Text";

/** A message that the agent has written, with how it stands with each of its recipients right now. */
export function MailOut({ row }: { row: RowOf<"mail_out"> }) {
  const end = toldEnd(row);
  return (
    <Frame
      words={row.provenance}
      what={
        <>
          <span aria-hidden="true">✉ → </span>
          {row.what === "replied" ? "reply, sent by itself" : "mail sent"}
          {row.selector && (
            <>
              {" to "}
              <Foreign text={row.selector} />
            </>
          )}
          {`, ${row.mode}`}
        </>
      }
      aside={
        <>
          <Link href={toMessage(row.message_id)}>details</Link>
          <MessageDeeds messageId={row.message_id} kind={row.message_kind} states={row.to} />
        </>
      }
    >
      <ul className="transcript-to">
        {row.to.map((one, nth) => (
          // A recipient may stand here twice: a bus closes for those who have read it and for nobody.
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of deliveries never changes
          <li key={nth}>
            to {one.to.branch_id ? <SpeakerName speaker={one.to} /> : "nobody"} <Standing {...one} />
          </li>
        ))}
        {row.to.length === 0 && <li className="transcript-muted">on the bus, taken by nobody yet</li>}
      </ul>
      {end && (
        <p className="transcript-muted" dir="auto">
          {shown(end)}
        </p>
      )}
      {row.pruned_bytes !== null ? (
        <Pruned bytes={row.pruned_bytes} sha256={row.pruned_sha256} />
      ) : row.summary === "" ? null : (
        <details>
          <summary dir="auto">{shown(row.summary)}</summary>
          <Text text={row.text} missing={row.missing_chars} whole={() => wholeOf(row.message_id)} />
        </details>
      )}
    </Frame>
  );
}
