const WORDS: { [reason: string]: string } = {
  "cancel.user": "by you",
  "cancel.parent": "by the agent that gave the task",
  round_cap: "at the cap on rounds",
};

/** Why a turn or a task has ended, for a person; any other reason stays as it is. */
export const endWords = (reason: string): string => WORDS[reason] ?? reason;
