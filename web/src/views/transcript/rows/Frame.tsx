import type { ReactNode } from "react";
import type { Schemas } from "../../../api/client";

type Words = Schemas["TextRow"]["provenance"];

const LABELS: { [W in Words]: { icon: string; label: string } } = {
  user: { icon: "☺", label: "You" },
  agent: { icon: "◆", label: "Agent" },
  system: { icon: "⚙", label: "Postroom" },
  plugin: { icon: "⊕", label: "Plugin" },
  mixed: { icon: "◐", label: "You and agents" },
};

type Props = {
  words: Words;
  /** What it is: an answer, mail, the end of a turn. */
  what: ReactNode;
  /** What stands at the end of the line with the label. */
  aside?: ReactNode;
  children?: ReactNode;
};

/**
 * Whose words these are, in words, with a sign and a colour. The label stands outside of the frame of the
 * text, so that no text can show it.
 */
export function Frame({ words, what, aside, children }: Props) {
  const { icon, label } = LABELS[words];
  return (
    <article className={`transcript-row transcript-${words}`} data-words={words}>
      <header className="transcript-label">
        <strong>
          <span aria-hidden="true">{icon} </span>
          {label}
        </strong>{" "}
        <span className="transcript-what">{what}</span>
        {aside && <span className="transcript-aside">{aside}</span>}
      </header>
      {children && <div className="transcript-body">{children}</div>}
    </article>
  );
}
