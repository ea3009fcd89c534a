import type { LiveText } from "../../api/live";
import type { Row } from "./model";

/** What the list shows one below the other. */
export type Block =
  | { readonly kind: "turn"; readonly id: string; readonly turnId: string; readonly tsUs: number }
  | { readonly kind: "row"; readonly id: string; readonly row: Row }
  | { readonly kind: "waiting"; readonly id: string; readonly n: number }
  | { readonly kind: "live"; readonly id: string; readonly text: LiveText };

/** Rows as blocks: a heading for each turn, the answer that streams in its place, then what waits unread. */
export function blocksOf(rows: readonly Row[], live: LiveText | null): Block[] {
  const blocks: Block[] = [];
  const named = new Set<string>();
  let turn = "";
  const waits = rows.filter((row) => row.kind === "waiting");
  for (const row of rows) {
    if (row.kind === "waiting") continue;
    if (row.turn_id && row.turn_id !== turn) {
      turn = row.turn_id;
      const id = named.has(turn) ? `turn:${turn}:${row.id}` : `turn:${turn}`;
      named.add(turn);
      blocks.push({ kind: "turn", id, turnId: turn, tsUs: row.ts_us });
    }
    blocks.push({ kind: "row", id: row.id, row });
  }
  if (live) blocks.push({ kind: "live", id: `live:${live.turn_id}:${live.round}`, text: live });
  if (waits.length > 0) blocks.push({ kind: "waiting", id: "waiting", n: waits.length });
  for (const row of waits) blocks.push({ kind: "row", id: row.id, row });
  return blocks;
}

/** What a reader whose view is not at the end has not seen. */
export type Unseen = { readonly newest: string; readonly count: number };

export const NOTHING_UNSEEN: Unseen = { newest: "", count: 0 };

/** Counts what was added behind the block that was newest when the end was last in view. */
export function unseenAfter(unseen: Unseen, ids: readonly string[], atEnd: boolean): Unseen {
  const newest = ids.at(-1) ?? "";
  if (atEnd || unseen.newest === "") {
    return unseen.newest === newest && unseen.count === 0 ? unseen : { newest, count: 0 };
  }
  const at = ids.lastIndexOf(unseen.newest);
  // What was newest is gone, such as a streamed answer that is committed now: its successor counts as seen.
  if (at < 0) return { newest, count: unseen.count };
  const count = ids.length - 1 - at;
  return count === unseen.count ? unseen : { ...unseen, count };
}
