import { useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";
import { toAgent } from "../../shell/links";
import { useDeed } from "../../shell/useDeed";
import type { Heading } from "./model";

/** A path that a revert has left is a place of the agent that went back. */
function forkOf(heading: Heading) {
  const agent = (heading.sealed && heading.made_by?.branch_id) || heading.branch_id;
  return { params: { path: { agent } }, body: heading.sealed ? { to: heading.branch_id } : {} };
}

/** Goes on from where the agent is in a session of its own, and leads there. */
export function ForkButton({ heading }: { heading: Heading }) {
  const [, navigate] = useLocation();
  const fork = useDeed(async () => {
    const made = taken(await api.POST("/api/v1/agents/{agent}/fork", forkOf(heading)));
    navigate(toAgent(made.session_id));
  });
  return (
    <DeedButton onClick={() => void fork.run()} disabled={fork.busy}>
      Fork
    </DeedButton>
  );
}
