import { type ReactNode, useId, useRef } from "react";
import type { Scope } from "../api/me";
import { DeedButton } from "./DeedButton";
import "./dialog.css";

type Props = {
  /** What the button says. */
  children: ReactNode;
  /** What is asked before the deed is done. */
  question: string;
  /** What the deed means, in more words. */
  detail?: ReactNode;
  /** What the button that does it says. */
  confirm: string;
  onConfirm: () => void;
  needs?: Scope;
  disabled?: boolean;
  className?: string | undefined;
  title?: string;
};

/** A button whose deed is asked for once more, because it cannot be undone. */
export function ConfirmButton({ children, question, detail, confirm, onConfirm, ...button }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  return (
    <>
      <DeedButton {...button} onClick={() => dialog.current?.showModal()}>
        {children}
      </DeedButton>
      <dialog ref={dialog} className="dialog" aria-labelledby={title}>
        <form
          method="dialog"
          onSubmit={(event) => {
            const { submitter } = event.nativeEvent;
            if (submitter instanceof HTMLButtonElement && submitter.value === "do") onConfirm();
          }}
        >
          <h2 id={title}>{question}</h2>
          {detail && <div className="dialog-detail">{detail}</div>}
          <div className="dialog-buttons">
            <button type="submit" value="no">
              Leave it
            </button>
            <button type="submit" value="do" className="danger">
              {confirm}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
