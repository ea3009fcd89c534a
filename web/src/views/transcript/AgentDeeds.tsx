import type { KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { mayGoOn, type useAgentDeeds } from "../../shell/agentDeeds";
import { DeedButton } from "../../shell/DeedButton";
import { toAgent } from "../../shell/links";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import type { Heading } from "./model";
import { RenameAgent } from "./RenameAgent";
import { TypedConfirm } from "./TypedConfirm";
import { isAtWork } from "./words";

function closedByEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key === "Escape") event.currentTarget.open = false;
}

/** A path that a revert has left is a place of the agent that went back. */
function forkOf(heading: Heading) {
  const agent = (heading.sealed && heading.made_by?.branch_id) || heading.branch_id;
  return { params: { path: { agent } }, body: heading.sealed ? { to: heading.branch_id } : {} };
}

type Props = { heading: Heading; deeds: ReturnType<typeof useAgentDeeds> };

/** What the person does with the agent as a whole. */
export function AgentDeeds({ heading, deeds }: Props) {
  const [, navigate] = useLocation();
  const params = { path: { agent: heading.branch_id } };
  const { stop, cancel, resume } = deeds;
  const compact = useDeed(async () => {
    const done = taken(await api.POST("/api/v1/agents/{agent}/compact", { params }));
    toast({
      tone: "calm",
      title: "Compacted",
      text: `A request now holds ${done.chars} characters in place of ${done.chars_before}.`,
    });
  });
  const fork = useDeed(async () => {
    const made = taken(await api.POST("/api/v1/agents/{agent}/fork", forkOf(heading)));
    navigate(toAgent(made.session_id));
  });
  const archive = useDeed(async () => {
    taken(await api.POST("/api/v1/agents/{agent}/archive", { params, body: { reason: "" } }));
    toast({ tone: "calm", title: "Archived", text: "Nothing new reaches it; it stays readable." });
  });
  const erase = useDeed(async () => {
    const session = { path: { session: heading.session_id } };
    taken(await api.DELETE("/api/v1/sessions/{session}", { params: session }));
    navigate("/");
  });
  const works = isAtWork(heading);
  if (heading.sealed) {
    return (
      <div className="transcript-deeds">
        <DeedButton onClick={() => void fork.run()} disabled={fork.busy}>
          Fork
        </DeedButton>
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
      <details className="transcript-more" onKeyDown={closedByEscape}>
        <summary>More</summary>
        <div>
          <DeedButton onClick={() => void compact.run()} disabled={works || compact.busy}>
            Compact
          </DeedButton>
          <DeedButton onClick={() => void fork.run()} disabled={fork.busy}>
            Fork
          </DeedButton>
          <RenameAgent heading={heading} />
          {!heading.archived && (
            <TypedConfirm
              name="Archive…"
              question="Archive this agent?"
              detail="It takes no messages and tasks any more, for good. It can still be read and forked."
              word={heading.name}
              onConfirm={() => void archive.run()}
            />
          )}
          <TypedConfirm
            name="Delete the session…"
            question="Delete this session?"
            detail="It reads as absent from then on, and its texts go. This cannot be undone."
            word={heading.name}
            onConfirm={() => void erase.run()}
          />
        </div>
      </details>
    </div>
  );
}
