import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { Until } from "../../shell/Ago";
import { toWhy } from "../../shell/links";
import { Stamp } from "../../shell/Stamp";
import { StateBadge } from "../../shell/StateBadge";
import { PartyName } from "./PartyName";
import { remark, standings, stateOf } from "./standing";

const STEPS = [
  ["Held since", "held_us"],
  ["Accepted", "accepted_us"],
  ["Entered the conversation", "claimed_us"],
  ["Read", "consumed_us"],
] as const;
const STOOD: { [state: string]: string } = {
  running: "The recipient was at work. ",
  waking_finished: "The recipient had nothing to do, and was woken. ",
  queued: "The recipient was in line already. ",
};

/** How a message stands with each of its recipients. */
export function Recipients({ mail }: { mail: Schemas["MailEntry"] }) {
  if (mail.recipients.length === 0) {
    return standings(mail).map(({ state }) => (
      <p key={state}>
        <StateBadge state={state} />{" "}
        {state === "posted" && <span className="rows-muted">nobody on the bus has taken it yet</span>}
      </p>
    ));
  }
  return (
    <ul className="rows-list">
      {mail.recipients.map((one, index) => (
        <li key={one.to.branch_id || index} className="rows-row">
          <div className="rows-line">
            <PartyName party={one.to} row={mail.message_id} selector={mail.selector ? "nobody" : ""} />
            <StateBadge state={stateOf(one)} />
            {one.mode !== mail.mode && <span className="rows-muted">as {one.mode}</span>}
            <span className="rows-muted">{remark(one)}</span>
            {one.turn_id && (
              <Link href={toWhy(one.turn_id)} title={one.turn_id}>
                {one.round === null ? "its turn" : `round ${one.round} of its turn`}
              </Link>
            )}
          </div>
          <p className="rows-text rows-muted">
            {STOOD[one.recipient_state]}
            {STEPS.map(([word, field]) => {
              const us = one[field];
              return us === null ? null : (
                <span key={field}>
                  {word} <Stamp us={us} />
                  {". "}
                </span>
              );
            })}
            {one.expires_us !== null && one.ended_us === null && (
              <>
                Ends unread in <Until us={one.expires_us} />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
