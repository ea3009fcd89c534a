import { useId, useRef, useState } from "react";
import { DeedButton } from "../../shell/DeedButton";

type Props = {
  name: string;
  question: string;
  detail: string;
  /** What has to be typed before the deed can be done. */
  word: string;
  onConfirm: () => void;
};

/** A deed of an administrator that is for good: what it is done to has to be typed. */
export function TypedConfirm({ name, question, detail, word, onConfirm }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    dialog.current?.close();
  };
  return (
    <>
      <DeedButton needs="admin" onClick={() => dialog.current?.showModal()}>
        {name}
      </DeedButton>
      <dialog ref={dialog} className="dialog" aria-labelledby={title} onClose={() => setTyped("")}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (typed !== word) return;
            close();
            onConfirm();
          }}
        >
          <h2 id={title}>{question}</h2>
          <p>{detail}</p>
          <label>
            Type <strong className="transcript-word">{word}</strong> to confirm{" "}
            <input
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              dir="auto"
            />
          </label>
          <div className="dialog-buttons">
            <button type="button" onClick={close}>
              Leave it
            </button>
            <button type="submit" className="danger" disabled={typed !== word}>
              {question.replace("?", "")}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
