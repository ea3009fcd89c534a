/** The rows that a branch is drawn in, and the branch that it goes on from. */
export type Span = { branch: number; base: number | null; first: number; last: number };

/**
 * A lane for each branch, in the order in which they are given: the first one to the right of the branch that it
 * goes on from whose last branch has ended above it. So lanes are used again, and a new branch moves no old one.
 */
export function layLanes(spans: readonly Span[]): { lanes: Map<number, number>; work: number } {
  const lanes = new Map<number, number>();
  const ends: number[] = [];
  let work = 0;
  for (const span of spans) {
    let lane = span.base === null ? 0 : (lanes.get(span.base) ?? 0) + 1;
    // The line to its first node begins a row above, where nothing may stand either.
    while ((ends[lane] ?? Number.NEGATIVE_INFINITY) >= span.first - 1) {
      lane += 1;
      work += 1;
    }
    work += 1;
    ends[lane] = span.last;
    lanes.set(span.branch, lane);
  }
  return { lanes, work };
}
