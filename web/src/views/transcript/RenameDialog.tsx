import { type ReactNode, useId, useRef, useState } from "react";
import { DeedButton } from "../../shell/DeedButton";
import { Failure } from "../../shell/Failure";
import { useDeed } from "../../shell/useDeed";

type Props = {
  /** What stands on the button that opens it, and how it is called where that is a sign. */
  button: ReactNode;
  buttonName?: string | undefined;
  buttonClass?: string | undefined;
  question: string;
  field: string;
  now: string;
  longest: number;
  onSave: (text: string) => Promise<void>;
};

/** Asks for another name of something, beginning with the one that it has. */
export function RenameDialog({
  button,
  buttonName,
  buttonClass,
  question,
  field,
  now,
  longest,
  onSave,
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [text, setText] = useState("");
  // Told here, because a dialog covers the rest of the page.
  const [failure, setFailure] = useState<unknown>(null);
  const deed = useDeed(async () => {
    try {
      await onSave(text.trim());
      dialog.current?.close();
    } catch (error) {
      setFailure(error);
    }
  });
  const open = () => {
    setText(now);
    setFailure(null);
    dialog.current?.showModal();
  };
  return (
    <>
      <DeedButton className={buttonClass} aria-label={buttonName} title={buttonName} onClick={open}>
        {button}
      </DeedButton>
      <dialog ref={dialog} className="dialog" aria-labelledby={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void deed.run();
          }}
        >
          <h2 id={title}>{question}</h2>
          <label className="dialog-field">
            {field}
            <input
              value={text}
              onChange={(event) => setText(event.target.value)}
              maxLength={longest}
              dir="auto"
            />
          </label>
          {failure !== null && <Failure error={failure} />}
          <div className="dialog-buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Leave it
            </button>
            <button type="submit" disabled={deed.busy || text.trim() === "" || text.trim() === now}>
              Rename
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
