import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { Ago } from "../../shell/Ago";
import { Foreign } from "../../shell/Foreign";
import { toMessage, toWhy } from "../../shell/links";
import { Stamp } from "../../shell/Stamp";
import { StateBadge } from "../../shell/StateBadge";
import { bytesText } from "../rows/duration";
import { PartyName } from "./PartyName";

/** Who wrote a message, when and for what, and what hangs together with it. */
export function MessageFacts({ mail }: { mail: Schemas["MailEntry"] }) {
  return (
    <dl className="rows-facts">
      <Fact name="From">
        <PartyName party={mail.sender} row={mail.message_id} />
      </Fact>
      {mail.selector && (
        <Fact name="Written to">
          <Foreign text={mail.selector} /> <span className="rows-muted">on the bus of a turn</span>
        </Fact>
      )}
      {mail.recipients.length === 1 && !mail.selector && mail.recipients[0] && (
        <Fact name="To">
          <PartyName party={mail.recipients[0].to} row={mail.message_id} />
        </Fact>
      )}
      <Fact name="Kind">
        {mail.kind}, {mail.mode}
      </Fact>
      <Fact name="Written">
        <Stamp us={mail.created_us} />{" "}
        <span className="rows-muted">
          (<Ago us={mail.created_us} /> ago)
        </span>
        {mail.written_in && (
          <>
            {" in "}
            <Link href={toWhy(mail.written_in)} title={mail.written_in}>
              this turn
            </Link>
          </>
        )}
      </Fact>
      {mail.task_id && (
        <Fact name="Task">
          <code>{mail.task_id}</code> <StateBadge state={mail.task_state} />{" "}
          {mail.task_outcome && <span className="rows-muted">{mail.task_outcome}</span>}
        </Fact>
      )}
      {mail.reply_to && (
        <Fact name="Answers">
          <MessageLink id={mail.reply_to} />
        </Fact>
      )}
      {mail.answered_by.length > 0 && (
        <Fact name="Answered by">
          {mail.answered_by.map((id) => (
            <MessageLink key={id} id={id} />
          ))}
        </Fact>
      )}
      <Fact name="Chain">{mail.chain}</Fact>
      <Fact name="Length">{bytesText(mail.body_bytes)}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function MessageLink({ id }: { id: string }) {
  return (
    <>
      <Link href={toMessage(id)}>
        <code>{id}</code>
      </Link>{" "}
    </>
  );
}
