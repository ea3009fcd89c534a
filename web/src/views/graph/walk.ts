import type { Layout, Line, Place } from "./layout";

/** What a key does to a walk through a graph. */
export type Way = "up" | "down" | "left" | "right" | "first" | "last";

/** The way that a key goes; nothing where it goes none. */
export function wayOf(key: string): Way | null {
  return WAYS[key] ?? null;
}

const WAYS: Readonly<Record<string, Way>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "first",
  End: "last",
};

/**
 * Where a step from something drawn leads: up to what it follows, down to what follows it on its branch, left and
 * right to what stands beside it on other branches; `first` is the root, `last` the head. It stays where it goes no
 * further.
 */
export function walk(layout: Layout, from: string, way: Way, head: string): string {
  if (way === "first") return "n0";
  if (way === "last") return layout.places.has(head) ? head : from;
  if (way === "up") return layout.lines.find((line) => isOrder(line) && line.target === from)?.source ?? from;
  if (way === "down") return below(layout, from);
  return beside(layout, from, way === "right" ? 1 : -1);
}

const isOrder = (line: Line): boolean => line.kind === "same" || line.kind === "fork" || line.kind === "call";

function below(layout: Layout, from: string): string {
  const next = layout.lines.filter((line) => isOrder(line) && line.source === from);
  const ways: Line["kind"][] = ["same", "call", "fork"];
  for (const kind of ways) {
    const line = next.find((one) => one.kind === kind);
    if (line) return line.target;
  }
  return from;
}

/** The nearest on one side; of those as near the one in the nearest row, and above before below. */
function beside(layout: Layout, from: string, side: 1 | -1): string {
  const here = layout.places.get(from);
  if (!here) return from;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, place] of layout.places) {
    const columns = (place.column - here.column) * side;
    const far = columns <= 0 ? Number.POSITIVE_INFINITY : distance(here, place);
    if (far < least) [best, least] = [name, far];
  }
  return best;
}

/** Rows weigh more than columns: what stands beside a node is on another branch at the same height. */
const distance = (a: Place, b: Place): number =>
  Math.abs(a.row - b.row) * 4 + Math.abs(a.column - b.column) + (b.row > a.row ? 0.5 : 0);
