import { mayGoOn, type useAgentDeeds } from "../../shell/agentDeeds";
import { DeedButton } from "../../shell/DeedButton";
import { ForkButton } from "./ForkButton";
import { MoreDeeds } from "./MoreDeeds";
import type { Heading } from "./model";
import { isAtWork } from "./words";

type Props = { heading: Heading; deeds: ReturnType<typeof useAgentDeeds> };

/** What the person does with the agent as a whole. A path that a revert has left can only be gone on from. */
export function AgentDeeds({ heading, deeds }: Props) {
  const { stop, cancel, resume } = deeds;
  const works = isAtWork(heading);
  if (heading.sealed) {
    return (
      <div className="transcript-deeds">
        <ForkButton heading={heading} />
      </div>
    );
  }
  return (
    <div className="transcript-deeds" role="toolbar" aria-label="What to do with this agent">
      <DeedButton onClick={() => void stop.run()} disabled={heading.state === "paused" || heading.archived}>
        Stop
      </DeedButton>
      {works && (
        <DeedButton onClick={() => void cancel.run()} disabled={cancel.busy}>
          Cancel the turn
        </DeedButton>
      )}
      {!works && mayGoOn(heading) && (
        <DeedButton onClick={() => void resume.run()} disabled={resume.busy}>
          Resume
        </DeedButton>
      )}
      <MoreDeeds heading={heading} />
    </div>
  );
}
