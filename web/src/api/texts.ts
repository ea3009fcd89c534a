import type { LogEvent, TextPiece } from "./stream";

/** The answer of an agent as far as it has come. */
export type LiveText = Omit<TextPiece, "branch_id">;

export type Texts = ReadonlyMap<string, LiveText>;

export const NO_TEXTS: Texts = new Map();

/** Joins pieces to what was heard. An older attempt or round that comes late is not shown. */
export function joined(texts: Texts, pieces: readonly TextPiece[]): Texts {
  if (pieces.length === 0) return texts;
  const next = new Map(texts);
  for (const piece of pieces) {
    const { branch_id, turn_id, round, attempt, text } = piece;
    const had = next.get(branch_id);
    const isSame = had?.turn_id === turn_id;
    if (isSame && (round < had.round || (round === had.round && attempt < had.attempt))) continue;
    const goesOn = isSame && round === had.round && attempt === had.attempt;
    next.set(branch_id, { turn_id, round, attempt, text: goesOn ? had.text + text : text });
  }
  return next;
}

/** Drops the texts that these events make void: the answer is committed, or its turn is over. */
export function settled(texts: Texts, events: readonly LogEvent[]): Texts {
  if (texts.size === 0) return texts;
  const over = events.filter((event) => isOver(texts.get(event.branch_id ?? ""), event));
  if (over.length === 0) return texts;
  const next = new Map(texts);
  for (const event of over) next.delete(event.branch_id ?? "");
  return next;
}

function isOver(text: LiveText | undefined, event: LogEvent): boolean {
  if (text === undefined) return false;
  if (event.kind === "turn.ended") return true;
  const round = event.facts?.round;
  return event.kind === "answer.committed" && (typeof round !== "number" || text.round <= round);
}
