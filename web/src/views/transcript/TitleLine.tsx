import { api, taken } from "../../api/client";
import { shown } from "../../shell/shown";
import type { Heading } from "./model";
import { RenameDialog } from "./RenameDialog";

const LONGEST = 80;

/** What the conversation is called, and where the person calls it otherwise. */
export function TitleLine({ heading }: { heading: Heading }) {
  const { title, session_id, made_by } = heading;
  // Sessions that agents have made go by their handle and their task.
  if (made_by !== null && title === "") return null;
  return (
    <div className="transcript-title">
      <p dir="auto">{shown(title) || "(no title)"}</p>
      {!heading.sealed && (
        <RenameDialog
          button={<span aria-hidden="true">✎</span>}
          buttonName="Change the title"
          buttonClass="transcript-pen"
          question="Change the title of this conversation"
          field="Title"
          now={title}
          longest={LONGEST}
          onSave={async (text) => {
            const params = { path: { session: session_id } };
            taken(await api.POST("/api/v1/sessions/{session}/retitle", { params, body: { title: text } }));
          }}
        />
      )}
    </div>
  );
}
