/** The rows that a branch is drawn in, and the branch that it goes on from. */
export type Span = { branch: number; base: number | null; first: number; last: number };

/**
 * A lane for each branch, in the order in which they are given: the first one to the right of the branch that it
 * goes on from that is free at its height. So lanes are used again, and a new branch moves no old one.
 */
export function layLanes(spans: readonly Span[]): { lanes: Map<number, number>; work: number } {
  const lanes = new Map<number, number>();
  const taken: Span[][] = [];
  let work = 0;
  const isFree = (lane: number, span: Span): boolean => {
    const others = taken[lane] ?? [];
    work += 1 + others.length;
    // The line to a first node begins a row above it, where nothing may stand either.
    return others.every((other) => other.last < span.first - 1 || other.first - 1 > span.last);
  };
  for (const span of spans) {
    let lane = span.base === null ? 0 : (lanes.get(span.base) ?? 0) + 1;
    while (!isFree(lane, span)) lane += 1;
    const others = taken[lane] ?? [];
    others.push(span);
    taken[lane] = others;
    lanes.set(span.branch, lane);
  }
  return { lanes, work };
}
