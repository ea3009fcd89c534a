import { useSyncExternalStore } from "react";

let pointed = "";
const told = new Set<() => void>();

/** Points at an agent, so that its row stands out wherever it is; nothing points at none. */
export function pointAt(branchId: string): void {
  if (pointed === branchId) return;
  pointed = branchId;
  for (const tell of told) tell();
}

/** Whether this agent is pointed at. Only the rows that change are drawn anew. */
export function useIsPointed(branchId: string): boolean {
  return useSyncExternalStore(watch, () => pointed === branchId);
}

function watch(tell: () => void): () => void {
  told.add(tell);
  return () => {
    told.delete(tell);
  };
}
