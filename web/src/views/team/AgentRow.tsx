import { memo, useState } from "react";
import type { BoardAgent } from "../../api/board";
import { AgentName } from "../../shell/AgentName";
import { Ago } from "../../shell/Ago";
import { Foreign } from "../../shell/Foreign";
import { Money } from "../../shell/Money";
import { shown } from "../../shell/shown";
import { Tokens } from "../../shell/Tokens";
import { AgentDeeds } from "./AgentDeeds";
import { DoingLine } from "./DoingLine";
import { useIsPointed } from "./highlight";

const DEEPEST = 6;

/** One agent of a conversation. It is drawn anew only when something about it has changed. */
export const AgentRow = memo(function AgentRow({ agent }: { agent: BoardAgent }) {
  const [isOpen, setOpen] = useState(false);
  const isPointed = useIsPointed(agent.branch_id);
  const classes = ["team-agent", isPointed && "team-pointed", isOver(agent) && "team-over"].filter(Boolean);
  return (
    <li
      className={classes.join(" ")}
      style={{ "--depth": Math.min(agent.depth, DEEPEST) } as React.CSSProperties}
      aria-label={agent.label}
      data-branch={agent.branch_id}
    >
      <div className="team-who">
        <AgentName label={agent.label} branchId={agent.branch_id} address={agent.address} />
        {agent.profile !== agent.label && (
          <span className="team-quiet" title="profile">
            {" "}
            <Foreign text={agent.profile} />
          </span>
        )}
        {agent.task && (
          <p className="team-task" title={agent.task} dir="auto">
            {shown(agent.task)}
          </p>
        )}
      </div>
      <DoingLine agent={agent} />
      <Unread agent={agent} />
      <Spent agent={agent} />
      <button
        type="button"
        className="team-open"
        aria-expanded={isOpen}
        aria-label={`Actions for ${agent.label}`}
        onClick={() => setOpen(!isOpen)}
      >
        Actions
      </button>
      {isOpen && <AgentDeeds agent={agent} onDone={() => setOpen(false)} />}
    </li>
  );
});

function Unread({ agent }: { agent: BoardAgent }) {
  return (
    <div className="team-unread">
      {agent.unread > 0 && (
        <span className="team-mail">
          {agent.unread} unread
          {agent.oldest_unread_us !== null && (
            <>
              , oldest <Ago us={agent.oldest_unread_us} />
            </>
          )}
          {agent.parked > 0 && `, ${agent.parked} parked`}
        </span>
      )}
      {agent.open_asks > 0 && <strong className="team-asks">{agent.open_asks} open for you</strong>}
      {agent.background > 0 && <span className="team-quiet">{agent.background} in the background</span>}
    </div>
  );
}

function Spent({ agent }: { agent: BoardAgent }) {
  if (agent.input_tokens + agent.output_tokens === 0) return <div className="team-spent" />;
  return (
    <div className="team-spent">
      <span className="unseen">used: </span>
      <Tokens n={agent.input_tokens} /> in, <Tokens n={agent.output_tokens} /> out,{" "}
      <Money micros={agent.cost_micros} />
      {agent.unpriced > 0 && <span title={`${agent.unpriced} requests have no known price`}> and more</span>}
    </div>
  );
}

/** Whether nothing of it is open. */
function isOver(agent: BoardAgent): boolean {
  return !agent.is_root && ["ended", "archived"].includes(agent.doing.kind) && agent.unread === 0;
}
