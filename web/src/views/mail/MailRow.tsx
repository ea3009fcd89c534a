import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { toldEnd } from "../../shell/ended";
import { Foreign } from "../../shell/Foreign";
import { toMessage } from "../../shell/links";
import { Stamp } from "../../shell/Stamp";
import { StateBadge } from "../../shell/StateBadge";
import { shown } from "../../shell/shown";
import { LaneStrip } from "./LaneStrip";
import type { Lane, LaneRow } from "./lanes";
import { PartyName } from "./PartyName";
import { remark, standings } from "./standing";

const NAMED_MAX = 3;

type Props = { entry: Schemas["MailEntry"]; lanes: readonly Lane[]; row: LaneRow | undefined };

/** One message of the timeline. Its text opens it. */
export function MailRow({ entry, lanes, row }: Props) {
  const { recipients, selector, preview } = entry;
  const end = toldEnd(entry);
  const only = recipients.length === 1 ? recipients[0] : undefined;
  return (
    <li className="rows-row mail-row">
      {row && <LaneStrip count={lanes.length} row={row} />}
      <div className="mail-words">
        <div className="rows-line">
          <span className="rows-muted">
            <Stamp us={entry.created_us} />
          </span>
          <span className="mail-way">
            <PartyName party={entry.sender} row={entry.message_id} />
            <span aria-hidden="true"> → </span>
            <span className="unseen"> to </span>
            {selector && (
              <bdi className="mail-selector" title="Written to this on the bus of a turn">
                {shown(selector)}
                {recipients.length > 0 && ": "}
              </bdi>
            )}
            {recipients.slice(0, NAMED_MAX).map((one, index) => (
              <span key={one.to.branch_id || index}>
                {index > 0 && ", "}
                <PartyName party={one.to} row={entry.message_id} selector={selector ? "nobody" : ""} />
              </span>
            ))}
            {recipients.length > NAMED_MAX && ` and ${recipients.length - NAMED_MAX} more`}
          </span>
          <span className="rows-muted">
            {entry.kind}, {entry.mode}
          </span>
          {standings(entry).map(({ state, count }) => (
            <span key={state}>
              {count > 1 && `${count} × `}
              <StateBadge state={state} />
            </span>
          ))}
          {only && <span className="rows-muted">{remark(only)}</span>}
          {entry.task_state && (
            <span className="rows-muted">task {entry.task_outcome || entry.task_state}</span>
          )}
        </div>
        <p className="rows-text">
          <Link href={toMessage(entry.message_id)} className="mail-open" data-row="">
            <Foreign text={preview || end || "(no text)"} />
          </Link>
          {preview && end && (
            <span className="rows-muted">
              {" "}
              <Foreign text={end} />
            </span>
          )}
        </p>
      </div>
    </li>
  );
}
