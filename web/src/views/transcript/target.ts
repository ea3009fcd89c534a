import { useEffect, useEffectEvent, useRef } from "react";
import type { Row } from "./model";
import type { Transcript } from "./useTranscript";

const ASKED_MAX = 50;

/** The row that an address means: by its own id, its item, its message, or its turn; `null` where none is held. */
export function rowMeant(rows: readonly Row[], wanted: string): string | null {
  if (!wanted) return null;
  const found =
    rows.find((row) => row.id === wanted) ??
    rows.find((row) => String(row.node_id) === wanted || messagesOf(row).includes(wanted)) ??
    rows.find((row) => row.turn_id === wanted);
  return found?.id ?? null;
}

function messagesOf(row: Row): string[] {
  switch (row.kind) {
    case "text":
    case "mail_in":
      return row.parts.map((part) => part.message_id);
    case "mail_out":
      return [row.message_id];
    case "spawn":
      return [row.message_id, row.task_id];
    case "waiting":
      return [row.letter.message_id];
    default:
      return [];
  }
}

/** Whether an item that is not held can only be missing, because an older one is held. */
function isPassed(rows: readonly Row[], wanted: string): boolean {
  return /^\d+$/.test(wanted) && rows.some((row) => row.node_id !== null && row.node_id < Number(wanted));
}

/** The row that the address of the view means. Older rows are fetched until it is there, or can only be missing. */
export function useTarget(
  wanted: string,
  transcript: Transcript,
): { row: string | null; isMissing: boolean } {
  const { rows, hasOlder, isLoadingOlder, loadOlder } = transcript;
  const row = rowMeant(rows, wanted);
  const asked = useRef({ count: 0, rows: rows as unknown });
  const seeks = wanted !== "" && row === null && hasOlder && !isPassed(rows, wanted);
  const seek = useEffectEvent(() => {
    // The same rows after an answer mean that it was a failure, which a loop must not repeat.
    if (!seeks || isLoadingOlder || asked.current.count >= ASKED_MAX) return;
    if (asked.current.count > 0 && asked.current.rows === rows) return;
    asked.current = { count: asked.current.count + 1, rows };
    loadOlder();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever rows came, or nothing is under way any more
  useEffect(() => seek(), [wanted, rows, isLoadingOlder]);
  return { row, isMissing: wanted !== "" && row === null && !seeks };
}
