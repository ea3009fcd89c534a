const KINDS = new Set(["user", "mail", "plugin"]);

/** Whether a message is of a kind that can be taken back: a task is stopped instead, and what Postroom says stands. */
export const mayBeRecalled = (kind: string): boolean => KINDS.has(kind);
