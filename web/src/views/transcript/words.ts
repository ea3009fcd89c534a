import type { Heading } from "./model";

const WORKS = new Set(["running", "suspended", "waiting"]);

/** Whether the agent has a turn now. */
export const isAtWork = (heading: Heading): boolean => heading.turn_id !== "" || WORKS.has(heading.state);

/** What becomes of a text in each of the two modes, by how the agent stands. */
export function modeWords(heading: Heading): { steer: string; queue: string } {
  if (heading.state === "paused") {
    return {
      steer: "ends the pause; the agent reads it at once",
      queue: "ends the pause; read as its next turn",
    };
  }
  if (isAtWork(heading)) {
    return {
      steer: "joins the running turn before its next round",
      queue: "waits, and opens a turn of its own behind this one",
    };
  }
  return { steer: "begins a turn", queue: "begins a turn" };
}

/** What a receipt says of how its reader stood. */
export function receiptWords(receipt: { recipient_state: string; waits: boolean; stopped: boolean }): string {
  if (receipt.stopped) return "accepted; the agent is stopped and reads it when it is resumed";
  switch (receipt.recipient_state) {
    case "running":
      return receipt.waits
        ? "accepted; it waits behind the running turn"
        : "accepted; the running turn reads it next";
    case "waking_finished":
      return "accepted; the agent wakes up for it";
    default:
      return "accepted; it waits for its turn";
  }
}

/** What the agent does now, in words. */
export function doingWords(heading: Heading): string {
  const { what, tools, waits_for } = heading.doing;
  if (what === "model") return "asks its model";
  if (what === "calls") return `calls ${tools.join(", ")}`;
  if (what === "waits") {
    const whom = waits_for.map((one) => (one === "user" ? "you" : one)).join(", ");
    return `waits for ${whom}`;
  }
  if (heading.state === "waiting") return "waits for a slot";
  return "";
}

/** How much of a budget is left, from 1 to 0; `null` without a budget. The scarcest counts. */
export function budgetLeft(chain: Heading["chain"]): number | null {
  if (!chain) return null;
  const shares = [
    [chain.turns, chain.turns_max],
    [chain.tokens, chain.tokens_max],
    [chain.cost_micros, chain.cost_micros_max],
  ].flatMap(([spent, most]) => (spent != null && most ? [Math.max(0, 1 - spent / most)] : []));
  return shares.length > 0 ? Math.min(...shares) : null;
}
