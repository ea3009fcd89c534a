import type { Schemas } from "../../api/client";

/** A page of a conversation, as the daemon tells it. */
export type Page = Schemas["TranscriptView"];

/** One row of a conversation; `kind` says which. */
export type Row = Page["rows"][number];

/** A row of one kind. */
export type RowOf<K extends Row["kind"]> = Extract<Row, { kind: K }>;

export type Letter = Schemas["Letter"];
export type Heading = Schemas["Heading"];
export type Speaker = Schemas["Speaker"];

const OPEN_STATES = new Set(["", "held", "accepted", "claimed"]);

/** Whether a row may still change although nothing is added behind it. */
export function isUnsettled(row: Row): boolean {
  switch (row.kind) {
    case "calls":
      return row.calls.some((call) => call.state !== "ended");
    case "mail_out":
      return row.to.length === 0 || row.to.some((one) => OPEN_STATES.has(one.state));
    case "spawn":
      return row.ended_us === null;
    case "text":
    case "mail_in":
      return row.parts.some((part) => OPEN_STATES.has(part.state));
    default:
      return row.kind === "waiting";
  }
}

/** What unsettled rows hang on: messages by id, and agents at work by branch. */
export type Hangs = { readonly messages: ReadonlySet<string>; readonly branches: ReadonlySet<string> };

/** What has to happen for any of these rows to change. */
export function hangsOn(rows: readonly Row[]): Hangs {
  const messages = new Set<string>();
  const branches = new Set<string>();
  for (const row of rows) {
    if (!isUnsettled(row)) continue;
    if (row.kind === "mail_out") messages.add(row.message_id);
    if (row.kind === "text" || row.kind === "mail_in")
      for (const one of row.parts) messages.add(one.message_id);
    if (row.kind === "spawn") {
      messages.add(row.message_id);
      branches.add(row.agent.branch_id);
    }
  }
  return { messages, branches };
}
