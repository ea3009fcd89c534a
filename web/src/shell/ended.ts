const WORDS: { [reason: string]: string } = {
  "cancel.user": "by you",
  "cancel.parent": "by the agent that gave the task",
  round_cap: "at the cap on rounds",
};

/** Why a turn or a task has ended, for a person; any other reason stays as it is. */
export const endWords = (reason: string): string => WORDS[reason] ?? reason;

/** How work ended that a message tells of, and why; empty where that is nothing to tell: such a message has a text. */
export function toldEnd({ outcome, code }: { outcome: string; code: string }): string {
  return code && [outcome, endWords(code)].filter(Boolean).join(": ");
}
