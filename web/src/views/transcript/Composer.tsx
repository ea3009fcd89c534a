import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import { useBar } from "../../api/me";
import type { Heading } from "./model";
import type { Mode, useOutbox } from "./outbox";
import { modeWords, receiptWords } from "./words";

type Props = {
  heading: Heading;
  outbox: ReturnType<typeof useOutbox>;
  field: RefObject<HTMLTextAreaElement | null>;
};

/** Where the person writes to the agent: Enter sends, Shift and Enter breaks the line. */
export function Composer({ heading, outbox, field }: Props) {
  const [mode, setMode] = useState<Mode>("steer");
  const label = useId();
  const hint = useId();
  const words = modeWords(heading);
  const bar = useBar("operate");
  if (heading.sealed) {
    return <p className="note note-calm">A revert has left this path: it can be read and forked.</p>;
  }
  if (heading.archived) {
    return (
      <p className="transcript-composer note note-calm">This agent is archived: nothing new reaches it.</p>
    );
  }
  if (bar) return <p className="transcript-composer note note-calm">{bar}</p>;
  const send = () => outbox.send(outbox.text, mode);
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const isBarred = outbox.busy || outbox.letter !== null;
  return (
    <form
      className="transcript-composer"
      aria-label="Write to this agent"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="unseen" id={label} htmlFor={`${label}-text`}>
        Write to {heading.name}
      </label>
      <textarea
        id={`${label}-text`}
        ref={field}
        value={outbox.text}
        onChange={(event) => outbox.type(event.target.value)}
        onKeyDown={pressed}
        rows={Math.min(8, Math.max(2, outbox.text.split("\n").length))}
        placeholder={`Write to ${heading.name}`}
        aria-describedby={hint}
        dir="auto"
      />
      <div className="transcript-send">
        <label>
          <span className="unseen">How it is read</span>
          <select
            value={mode}
            onChange={(event) => setMode(event.target.value === "queue" ? "queue" : "steer")}
          >
            <option value="steer">Steer</option>
            <option value="queue">Queue</option>
          </select>
        </label>
        <button type="submit" disabled={isBarred || outbox.text.trim() === ""}>
          Send
        </button>
      </div>
      <p id={hint} className="transcript-muted transcript-hint">
        Your text {words[mode]}. Enter sends, Shift+Enter breaks the line.
      </p>
      <p className="transcript-receipt" role="status">
        {outbox.letter && (outbox.busy ? "Sending …" : "Not known to be sent: ")}
        {outbox.letter && !outbox.busy && (
          <>
            <q dir="auto" title={outbox.letter.text}>
              {brief(outbox.letter.text)}
            </q>{" "}
            <button type="button" onClick={outbox.again}>
              Try again
            </button>
          </>
        )}
        {!outbox.letter && outbox.receipt && `Your text is ${receiptWords(outbox.receipt)}.`}
      </p>
    </form>
  );
}

const BRIEF_CHARS = 200;

function brief(text: string): string {
  return text.length > BRIEF_CHARS ? `${text.slice(0, BRIEF_CHARS)} …` : text;
}
