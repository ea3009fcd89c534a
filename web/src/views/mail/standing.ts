import type { Schemas } from "../../api/client";
import { plain } from "../../shell/plain";
import { durationText } from "../rows/duration";
import { mayBeRecalled } from "../rows/recallable";

type Entry = Schemas["MailEntry"];
type At = Schemas["MailAt"];

/** How a message stands in one word for each state that it has, with how many recipients have it. */
export function standings(entry: Entry): { state: string; count: number }[] {
  if (entry.recipients.length === 0)
    return [{ state: entry.waits_on_bus ? "posted" : "undelivered", count: 1 }];
  const counts = new Map<string, number>();
  for (const one of entry.recipients) counts.set(stateOf(one), (counts.get(stateOf(one)) ?? 0) + 1);
  return [...counts].map(([state, count]) => ({ state, count }));
}

/** The state with one recipient; given back and waiting for the person is a state of its own for the reader. */
export function stateOf(at: At): string {
  return at.parked && at.state === "accepted" ? "parked" : at.state;
}

/** Why it stands so, and how long it took to be read; empty where there is nothing to add. */
export function remark(at: At): string {
  const parts = [
    at.held_for && `for ${plain(at.held_for)}`,
    plain(at.reason),
    at.latency_us !== null && `read after ${durationText(at.latency_us)}`,
    at.attempts > 1 && `attempt ${at.attempts}`,
    at.reverted && "left by a revert",
  ];
  return parts.filter(Boolean).join(", ");
}

/** Whether nobody has begun to read it, so that the person may still take it back. */
export function isRecallable(entry: Entry): boolean {
  const states = standings(entry).map((one) => one.state);
  return (
    mayBeRecalled(entry.kind) &&
    entry.recipients.every((one) => one.attempts === 0) &&
    states.every((state) => ["held", "accepted", "parked", "posted"].includes(state))
  );
}

/** Whether it was set aside after too many attempts, so that the person may have it tried again. */
export function isQuarantined(entry: Entry): boolean {
  return entry.recipients.some((one) => one.reason === "quarantined");
}
