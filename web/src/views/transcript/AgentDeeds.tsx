import type { KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { toAgent } from "../../shell/links";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import type { Heading } from "./model";
import { RenameAgent } from "./RenameAgent";
import { TypedConfirm } from "./TypedConfirm";
import { isAtWork } from "./words";

const RESUMES = new Set(["paused", "interrupted", "failed", "cancelled", "stopped"]);

function closedByEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key === "Escape") event.currentTarget.open = false;
}

/** A path that a revert has left is a place of the agent that went back. */
function forkOf(heading: Heading) {
  const agent = (heading.sealed && heading.made_by?.branch_id) || heading.branch_id;
  return { params: { path: { agent } }, body: heading.sealed ? { to: heading.branch_id } : {} };
}

/** What the person does with the agent as a whole. */
export function AgentDeeds({ heading, stop }: { heading: Heading; stop: () => void }) {
  const [, navigate] = useLocation();
  const params = { path: { agent: heading.branch_id } };
  const cancel = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/cancel", { params })));
  const resume = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/resume", { params })));
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
        <button type="button" onClick={() => void fork.run()} disabled={fork.busy}>
          Fork
        </button>
      </div>
    );
  }
  return (
    <div className="transcript-deeds" role="toolbar" aria-label="What to do with this agent">
      <button type="button" onClick={stop} disabled={heading.state === "paused" || heading.archived}>
        Stop
      </button>
      {works && (
        <button type="button" onClick={() => void cancel.run()} disabled={cancel.busy}>
          Cancel the turn
        </button>
      )}
      {!works && (RESUMES.has(heading.state) || heading.parked > 0) && (
        <button type="button" onClick={() => void resume.run()} disabled={resume.busy}>
          Resume
        </button>
      )}
      <details className="transcript-more" onKeyDown={closedByEscape}>
        <summary>More</summary>
        <div>
          <button type="button" onClick={() => void compact.run()} disabled={works || compact.busy}>
            Compact
          </button>
          <button type="button" onClick={() => void fork.run()} disabled={fork.busy}>
            Fork
          </button>
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
