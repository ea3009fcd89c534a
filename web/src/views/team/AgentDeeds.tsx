import { Link } from "wouter";
import type { BoardAgent } from "../../api/board";
import { api, taken } from "../../api/client";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { toAgent, toMail } from "../../shell/links";
import { useDeed } from "../../shell/useDeed";
import { WriteForm } from "../../shell/WriteForm";

/** What the person may do with an agent from the board. */
export function AgentDeeds({ agent, onDone }: { agent: BoardAgent; onDone: () => void }) {
  const params = { params: { path: { agent: agent.branch_id } } };
  const stop = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/stop", params)));
  const cancel = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/cancel", params)));
  const resume = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/resume", params)));
  const isPaused = agent.state === "paused";
  const mayGoOn = isPaused || agent.parked > 0 || agent.state === "interrupted" || agent.state === "failed";
  return (
    <div className="team-deeds">
      <WriteForm agent={agent.branch_id} label={agent.label} onSent={onDone} />
      <div className="team-buttons">
        <button type="button" disabled={isPaused || stop.busy} onClick={() => void stop.run()}>
          Stop it and all below
        </button>
        <button type="button" disabled={!mayGoOn || resume.busy} onClick={() => void resume.run()}>
          Resume
        </button>
        <ConfirmButton
          question={`Cancel what ${agent.label} does?`}
          detail="Its turn ends, or the task that it runs with everything below. Nothing is paused."
          confirm="Cancel it"
          disabled={cancel.busy}
          onConfirm={() => void cancel.run()}
        >
          Cancel
        </ConfirmButton>
        <Link href={toAgent(agent.branch_id)}>Transcript</Link>
        <Link href={toMail(agent.branch_id)}>Mail</Link>
      </div>
    </div>
  );
}
