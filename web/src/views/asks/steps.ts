import { isForView } from "../../shell/useKeys";

/** What a key does in the list of asks. */
export type Step = "next" | "previous" | "approve" | "deny" | "help";

const STEPS: { [key: string]: Step } = {
  j: "next",
  ArrowDown: "next",
  k: "previous",
  ArrowUp: "previous",
  a: "approve",
  d: "deny",
  "?": "help",
};

/** The step that a key means; none while the person writes, chooses, or holds a key of the browser's. */
export function stepOf(event: KeyboardEvent): Step | null {
  return isForView(event) ? (STEPS[event.key] ?? null) : null;
}
