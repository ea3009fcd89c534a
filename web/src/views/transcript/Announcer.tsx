import { useState } from "react";
import type { Row } from "./model";

const HEARD_CHARS = 200;
const HEARD_ROWS = 5;

/** Says new rows to a screen reader, and nothing of what scrolling mounts anew. */
export function Announcer({ rows }: { rows: readonly Row[] }) {
  const [heard, hear] = useState({ newest: "", text: "" });
  const next = heardAfter(heard, rows);
  if (next !== heard) hear(next);
  return (
    <div className="unseen" aria-live="polite" aria-atomic="true">
      {next.text}
    </div>
  );
}

/** What is to be said of the rows behind the one that was newest; nothing when the page has just been opened. */
export function heardAfter(
  heard: { newest: string; text: string },
  rows: readonly Row[],
): { newest: string; text: string } {
  const settled = rows.filter((row) => row.kind !== "waiting");
  const newest = settled.at(-1)?.id ?? "";
  if (newest === heard.newest) return heard;
  const at = settled.findIndex((row) => row.id === heard.newest);
  const fresh = at < 0 ? [] : settled.slice(at + 1).slice(-HEARD_ROWS);
  return { newest, text: fresh.map(spoken).filter(Boolean).join(" ") };
}

/** A row in a sentence. */
export function spoken(row: Row): string {
  switch (row.kind) {
    case "text":
      return "Your text is in the conversation.";
    case "answer":
      return `Answer: ${row.text.slice(0, HEARD_CHARS)}`;
    case "calls":
      return `Calls ${row.calls.map((call) => call.tool).join(", ")}.`;
    case "mail_in":
      return `Mail from ${row.parts.map((part) => part.sender.name || part.sender.by).join(", ")}.`;
    case "mail_out":
      return `Mail sent: ${row.summary}`;
    case "spawn":
      return `${row.agent.name} is at work: ${row.description}`;
    case "turn_end":
      return `The turn has ended: ${row.state}${row.cause && `, ${row.cause}`}.`;
    case "close_report":
      return row.sentence.split("\n")[0] ?? "";
    default:
      return "";
  }
}
