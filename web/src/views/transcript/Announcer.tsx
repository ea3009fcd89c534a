import { useState } from "react";
import type { Row } from "./model";

const HEARD_CHARS = 200;

/** Says new rows to a screen reader, and nothing of what scrolling mounts anew. */
export function Announcer({ rows }: { rows: readonly Row[] }) {
  const newest = rows.filter((row) => row.kind !== "waiting").at(-1);
  const [first, setFirst] = useState<string | null>(null);
  if (first === null && newest) setFirst(newest.id);
  const isNew = first !== null && newest !== undefined && newest.id !== first;
  return (
    <div className="unseen" aria-live="polite" aria-atomic="true">
      {isNew && spoken(newest)}
    </div>
  );
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
