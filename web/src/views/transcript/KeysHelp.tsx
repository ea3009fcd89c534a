import { type RefObject, useId } from "react";
import { KeysAdvice } from "../../shell/KeysSwitch";

const KEYS = [
  ["/", "write to the agent"],
  ["s", "stop the agent"],
  ["?", "show these keys"],
  ["Enter", "send what was written"],
  ["Shift+Enter", "break the line"],
  ["Escape", "leave the text field"],
] as const;

/** The keys of the view. */
export function KeysHelp({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const title = useId();
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={title}>
      <h2 id={title}>Keys</h2>
      <dl className="transcript-keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <KeysAdvice />
      <div className="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
