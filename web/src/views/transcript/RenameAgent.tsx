import { api, taken } from "../../api/client";
import type { Heading } from "./model";
import { RenameDialog } from "./RenameDialog";

const LONGEST = 64;

/** Gives the agent a name that no model changes any more. */
export function RenameAgent({ heading }: { heading: Heading }) {
  return (
    <RenameDialog
      button="Rename…"
      question="Rename this agent"
      field="Name"
      now={heading.name}
      longest={LONGEST}
      onSave={async (name) => {
        const params = { path: { agent: heading.branch_id } };
        taken(await api.POST("/api/v1/agents/{agent}/rename", { params, body: { name } }));
      }}
    />
  );
}
