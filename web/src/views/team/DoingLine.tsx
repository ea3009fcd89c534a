import type { BoardAgent, Doing } from "../../api/board";
import { AgentName } from "../../shell/AgentName";
import { Ago, Until } from "../../shell/Ago";
import { endWords } from "../../shell/ended";
import { Foreign } from "../../shell/Foreign";
import { StateBadge } from "../../shell/StateBadge";
import { pointAt } from "./highlight";

const REASON_CHARS = 120;
const WORDS: { [kind in Doing["kind"]]: string } = {
  model: "asks its model",
  tool: "works with a tool",
  wait: "waits",
  ask: "needs leave of you",
  question: "has a question for you",
  slot: "waits for a slot",
  idle: "has not run yet",
  paused: "paused by you",
  ended: "",
  archived: "retired",
};

/** What an agent does now, since when, and for whom it waits. */
export function DoingLine({ agent }: { agent: BoardAgent }) {
  const { doing, state, end_reason } = agent;
  const isOpen = !["idle", "paused", "ended", "archived"].includes(doing.kind);
  return (
    <div className="team-doing">
      <StateBadge state={state} />{" "}
      <span>
        {doing.kind === "tool" ? (
          <>
            works with <code>{doing.tool}</code>
          </>
        ) : (
          WORDS[doing.kind]
        )}
        {doing.kind === "ended" && <Foreign title={end_reason} text={brief(endWords(end_reason))} />}
      </span>
      {doing.provider_wait && (
        <span className="team-provider">
          {" "}
          waits for the provider (<code>{doing.provider_wait.code}</code>), again in{" "}
          <Until us={doing.provider_wait.until_us} />
        </span>
      )}
      {doing.kind !== "paused" && (
        <span className="team-quiet">
          {isOpen ? " for " : ", "}
          <Ago us={doing.since_us} />
          {!isOpen && " ago"}
          {isOpen && doing.round > 0 && (
            <>
              , <span className="team-now">{`round ${doing.round}/${doing.rounds_max}`}</span>
            </>
          )}
        </span>
      )}
      {doing.kind !== "ask" && doing.kind !== "question" && doing.waits_for.length > 0 && (
        <WaitsFor doing={doing} />
      )}
    </div>
  );
}

function brief(reason: string): string {
  return reason.length > REASON_CHARS ? `${reason.slice(0, REASON_CHARS)} …` : reason;
}

function WaitsFor({ doing }: { doing: Doing }) {
  return (
    <ul className="team-waits" aria-label="Waits for">
      {doing.waits_for.map(({ what, id, branch_id, label }) => (
        <li
          key={`${what} ${id} ${branch_id}`}
          onMouseEnter={() => pointAt(branch_id)}
          onMouseLeave={() => pointAt("")}
          onFocus={() => pointAt(branch_id)}
          onBlur={() => pointAt("")}
        >
          waits for {what === "person" ? "you" : <AgentName label={label} branchId={branch_id} />}
          {what === "task" && <span className="team-quiet"> (task {id})</span>}
          {what === "message" && <span className="team-quiet"> (a message)</span>}
        </li>
      ))}
    </ul>
  );
}
