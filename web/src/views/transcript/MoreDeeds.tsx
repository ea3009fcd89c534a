import type { KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import { ForkButton } from "./ForkButton";
import type { Heading } from "./model";
import { RenameAgent } from "./RenameAgent";
import { TypedConfirm } from "./TypedConfirm";
import { isAtWork } from "./words";

function closedByEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key === "Escape") event.currentTarget.open = false;
}

/** What the person does with an agent seldom, or once. */
export function MoreDeeds({ heading }: { heading: Heading }) {
  const [, navigate] = useLocation();
  const params = { path: { agent: heading.branch_id } };
  const compact = useDeed(async () => {
    const done = taken(await api.POST("/api/v1/agents/{agent}/compact", { params }));
    toast({
      tone: "calm",
      title: "Compacted",
      text: `A request now holds ${done.chars} characters in place of ${done.chars_before}.`,
    });
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
  return (
    <details className="transcript-more" onKeyDown={closedByEscape}>
      <summary>More</summary>
      <div>
        <DeedButton onClick={() => void compact.run()} disabled={isAtWork(heading) || compact.busy}>
          Compact
        </DeedButton>
        <ForkButton heading={heading} />
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
  );
}
