import type { LogEvent } from "../../api/live";
import { isDeletion } from "../../api/stream";
import type { Page, Row } from "./model";
import { hangsOn, isUnsettled } from "./model";

/**
 * What is held of a conversation: stretches of items, each from a first one up to the next stretch. The last
 * is open at its end and read anew while the agent works; the others only where something in them is open.
 */
export type Cuts = readonly number[];

/** The first item of the last stretch is moved when it holds more items than this. */
export const ITEMS_MAX = 120;
/** So many items stay in it then. */
export const ITEMS_KEPT = 40;
/** Where a conversation begins. */
export const BEGINNING = 1;

/** How a stretch is asked for. */
export function queryOf(cuts: Cuts, nth: number): { after: number; before?: number; limit: number } {
  const first = cuts[nth] ?? BEGINNING;
  const next = cuts[nth + 1];
  return { after: first - 1, limit: 500, ...(next === undefined ? {} : { before: next }) };
}

/** Where the open stretch is to be cut because it has grown long; `null` while it has not. */
export function cutFor(rows: readonly Row[]): number | null {
  const items: number[] = [];
  for (const { node_id } of rows) if (node_id !== null && items.at(-1) !== node_id) items.push(node_id);
  return items.length > ITEMS_MAX ? (items.at(-ITEMS_KEPT) ?? null) : null;
}

/** A page as two: what lies before an item, and what begins with it. */
export function split(page: Page, cut: number): [Page, Page] {
  const at = page.rows.findIndex((row) => row.node_id !== null && row.node_id >= cut);
  const where = at < 0 ? page.rows.length : at;
  return [
    { ...page, rows: page.rows.slice(0, where) },
    { ...page, rows: page.rows.slice(where), older: cut },
  ];
}

/** All rows in their order, each once: where stretches meet, the later one knows better. */
export function rowsOf(pages: readonly (Page | undefined)[]): Row[] {
  const found = new Map<string, Row>();
  for (const page of pages) for (const row of page?.rows ?? []) found.set(row.id, row);
  return [...found.values()];
}

const ANYWHERE = new Set([
  "mode.changed",
  "attended.changed",
  "branch.named",
  "session.titled",
  "bus.posted",
]);

/** Tells which events change a stretch: the open one by all that its agent does, others by what is open in them. */
export function concernsOf(
  branchId: string,
  rows: readonly Row[],
  isOpen: boolean,
): (event: LogEvent) => boolean {
  const open = rows.filter(isUnsettled);
  const hasCalls = open.some((row) => row.kind === "calls");
  const { messages, branches } = hangsOn(open);
  // What an agent has spent stands on its card, also of what it does behind the work that it was given there.
  const spenders = new Set(rows.flatMap((row) => (row.kind === "spawn" ? [row.agent.branch_id] : [])));
  return (event) => {
    if (isDeletion(event)) return false;
    if (event.kind === "answer.committed" && spenders.has(event.branch_id)) return true;
    if (messages.has(event.message_id) || branches.has(event.branch_id)) return true;
    if (isOpen) return event.branch_id === branchId || ANYWHERE.has(event.kind);
    return hasCalls && event.branch_id === branchId && event.kind.startsWith("call.");
  };
}
