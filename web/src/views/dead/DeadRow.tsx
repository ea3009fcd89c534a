import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { Ago } from "../../shell/Ago";
import { toldEnd } from "../../shell/ended";
import { Foreign } from "../../shell/Foreign";
import { toMessage, toWhy } from "../../shell/links";
import { plain } from "../../shell/plain";
import { StateBadge } from "../../shell/StateBadge";
import { RetryButton } from "../rows/MailDeeds";
import { causeOf } from "./reasons";

type Props = { letter: Schemas["DeadLetterView"]; onChanged: () => void };

/** One message that ended unread, and the way to have it tried again. */
export function DeadRow({ letter, onChanged }: Props) {
  const end = toldEnd(letter);
  const cause = plain(causeOf(letter));
  return (
    <li className="rows-row">
      <div className="rows-line">
        {letter.sender_address ? (
          <AgentName label={letter.sender} address={letter.sender_address} />
        ) : (
          <Foreign text={letter.sender === "user" ? "You" : letter.sender || "Postroom"} />
        )}
        <span aria-hidden="true">→</span>
        <span className="unseen"> to </span>
        {letter.recipient ? (
          <AgentName label={letter.recipient} address={letter.recipient_address} />
        ) : (
          <span className="rows-muted">nobody</span>
        )}
        <StateBadge state={letter.state} />
        {cause !== letter.state && <strong>{cause}</strong>}
        <span className="rows-muted">
          {letter.kind}, <Ago us={letter.ended_us} /> ago
          {letter.attempts > 0 && `, ${letter.attempts} ${letter.attempts === 1 ? "attempt" : "attempts"}`}
        </span>
      </div>
      <p className="rows-text">
        <Link href={toMessage(letter.message_id)} data-row="">
          <Foreign text={letter.excerpt || end || "(no text)"} />
        </Link>
        {letter.excerpt && end && (
          <span className="rows-muted">
            {" "}
            <Foreign text={end} />
          </span>
        )}
      </p>
      <div className="rows-line">
        <Link href={toWhy(letter.message_id)}>Why</Link>
        {letter.retriable && <RetryButton messageId={letter.message_id} onSent={onChanged} />}
        {letter.retried_as && <Link href={toMessage(letter.retried_as)}>Sent again as this</Link>}
      </div>
    </li>
  );
}
