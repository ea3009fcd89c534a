import { Link } from "wouter";
import type { BoardAgent } from "../../api/board";
import { mayGoOn, useAgentDeeds } from "../../shell/agentDeeds";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { DeedButton } from "../../shell/DeedButton";
import { toAgent, toMail } from "../../shell/links";
import { WriteForm } from "../../shell/WriteForm";

/** What the person may do with an agent from the board. */
export function AgentDeeds({ agent, onDone }: { agent: BoardAgent; onDone: () => void }) {
  const { stop, cancel, resume } = useAgentDeeds(agent.branch_id);
  return (
    <div className="team-deeds">
      <WriteForm agent={agent.branch_id} label={agent.label} onSent={onDone} />
      <div className="team-buttons">
        <DeedButton disabled={agent.state === "paused" || stop.busy} onClick={() => void stop.run()}>
          Stop it and all below
        </DeedButton>
        <DeedButton disabled={!mayGoOn(agent) || resume.busy} onClick={() => void resume.run()}>
          Resume
        </DeedButton>
        <ConfirmButton
          question={`Cancel what ${agent.label} does?`}
          detail="Its turn ends, or the task that it runs with everything below. Nothing is paused."
          confirm="Cancel it"
          disabled={cancel.busy}
          onConfirm={() => void cancel.run()}
        >
          Cancel the turn
        </ConfirmButton>
        <Link href={toAgent(agent.branch_id)}>Transcript</Link>
        <Link href={toMail(agent.branch_id)}>Mail</Link>
      </div>
    </div>
  );
}
