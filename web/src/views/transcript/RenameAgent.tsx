import { useId, useRef, useState } from "react";
import { api, taken } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";
import { useDeed } from "../../shell/useDeed";
import type { Heading } from "./model";

/** Gives the agent a name that no model changes any more. */
export function RenameAgent({ heading }: { heading: Heading }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [name, setName] = useState("");
  const deed = useDeed(async () => {
    const params = { path: { agent: heading.branch_id } };
    taken(await api.POST("/api/v1/agents/{agent}/rename", { params, body: { name } }));
    dialog.current?.close();
  });
  const open = () => {
    setName(heading.name);
    dialog.current?.showModal();
  };
  return (
    <>
      <DeedButton onClick={open}>Rename…</DeedButton>
      <dialog ref={dialog} className="dialog" aria-labelledby={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void deed.run();
          }}
        >
          <h2 id={title}>Rename this agent</h2>
          <label>
            Name{" "}
            <input value={name} onChange={(event) => setName(event.target.value)} maxLength={64} dir="auto" />
          </label>
          <div className="dialog-buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Leave it
            </button>
            <button type="submit" disabled={deed.busy || name.trim() === ""}>
              Rename
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
