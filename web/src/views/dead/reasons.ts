import type { Schemas } from "../../api/client";

type Letter = Schemas["DeadLetterView"];

/** Which of them are shown. */
export const SHOWN = ["all", "quarantined", "expired", "undelivered", "other"] as const;
export type Shown = (typeof SHOWN)[number];

/** Why it ended unread, in one word. */
export function causeOf(letter: Letter): string {
  return letter.state === "undelivered" ? "undelivered" : letter.reason;
}

/** Those that a filter lets through; `other` are all that have no filter of their own. */
export function shownLetters(letters: readonly Letter[], shown: Shown): readonly Letter[] {
  if (shown === "all") return letters;
  const named: readonly string[] = SHOWN;
  return letters.filter((letter) => {
    const cause = causeOf(letter);
    return shown === "other" ? !named.includes(cause) : cause === shown;
  });
}
