import { layLanes } from "./lanes";
import { callName, type Drawing, nodeName, ROOT } from "./model";

/** Where something is drawn on the square lattice. */
export type Place = { column: number; row: number };

/** How a line is drawn: what it stands for decides its style, its branch its colour. */
export type LineKind = "same" | "fork" | "call" | "return" | "merge" | "sent" | "replied";

/** A line between two things that are drawn. */
export type Line = { id: string; kind: LineKind; source: string; target: string; branch: number };

/** A graph with a place for everything. `work` counts what was looked at, which grows as the graph does. */
export type Layout = {
  places: ReadonlyMap<string, Place>;
  lines: readonly Line[];
  badges: readonly { branch: number; at: string }[];
  /** What has its other end in another session, by the edge or the branch that says where. */
  exits: readonly { at: string; edge: string | null; branch: number | null }[];
  columns: number;
  rows: number;
  work: number;
};

const TIERS: Readonly<Record<string, number>> = { user: 1, merge: 1, stretch: 1, llm: 2, summary: 2 };
const ROOT_TIER = 0;
const CALL_TIER = 3;

type Spot = { lane: number; tier: number; row: number };
type Node = Drawing["nodes"][number];

/**
 * Lays a graph out: a row for each step of a conversation, a lane for each branch, and in a lane a column for
 * each kind of node that stands in it. Lanes are given in the order in which branches began, so what is drawn
 * stays where it is while conversations go on (docs/why/0045).
 */
export function layOut(graph: Drawing): Layout {
  const { rows, work } = rowsOf(graph);
  const lanes = layLanes(spansOf(graph, rows));
  const spots = spotsOf(graph, rows, lanes.lanes);
  const columnOf = columnsOf(spots.values());
  const places = new Map<string, Place>();
  for (const [name, spot] of spots) places.set(name, { column: columnOf(spot), row: spot.row });
  return {
    places,
    lines: [...orderLines(graph, places), ...otherLines(graph, places)],
    badges: badgesOf(graph, places),
    exits: exitsOf(graph, places),
    columns: 1 + maxOf(places.values(), (place) => place.column),
    rows: 1 + maxOf(places.values(), (place) => place.row),
    work: work + lanes.work + places.size,
  };
}

/** The row of everything: one below what it follows, and below the calls that are drawn of that. */
function rowsOf(graph: Drawing): { rows: Map<string, number>; work: number } {
  const rows = new Map<string, number>([[nodeName(ROOT), 0]]);
  const below = new Map<number, number>([[ROOT, 1]]);
  const makers = makersOf(graph);
  let work = 0;
  // A node is younger than what it follows, so in the order of their keys everything has its row in time.
  for (const node of inOrder(graph.nodes)) {
    work += 1 + node.opened.length;
    const maker = node.link === "spawn" ? makers.get(node.branch) : undefined;
    const behind = maker === undefined ? undefined : rows.get(maker);
    const row = behind === undefined ? rowBehind(node, rows, below) : behind + 1;
    rows.set(nodeName(node.id), row);
    node.opened.forEach((call, index) => {
      rows.set(callName(call.id), row + index);
    });
    below.set(node.id, row + Math.max(1, node.opened.length));
  }
  return { rows, work };
}

function rowBehind(
  node: Node,
  rows: ReadonlyMap<string, number>,
  below: ReadonlyMap<number, number>,
): number {
  if (node.link === "next") return below.get(node.predecessor) ?? 1;
  return (rows.get(nodeName(node.predecessor)) ?? 0) + 1;
}

/** The call that is drawn as the maker of a branch. */
function makersOf(graph: Drawing): Map<number, string> {
  const makers = new Map<number, string>();
  for (const node of graph.nodes)
    for (const call of node.opened) if (call.branch !== null) makers.set(call.branch, callName(call.id));
  return makers;
}

/** From which row to which a branch is drawn, and the branch that it goes on from; in the order of their age. */
function spansOf(graph: Drawing, rows: ReadonlyMap<string, number>) {
  const spans = new Map<number, { branch: number; base: number | null; first: number; last: number }>();
  const branchOf = new Map(graph.nodes.map((node) => [node.id, node.branch]));
  for (const node of inOrder(graph.nodes)) {
    const row = rows.get(nodeName(node.id)) ?? 0;
    const last = row + Math.max(0, node.opened.length - 1);
    const span = spans.get(node.branch);
    if (span) span.last = Math.max(span.last, last);
    else
      spans.set(node.branch, {
        branch: node.branch,
        base: branchOf.get(node.predecessor) ?? null,
        first: row,
        last,
      });
  }
  return [...spans.values()];
}

function spotsOf(graph: Drawing, rows: ReadonlyMap<string, number>, lanes: ReadonlyMap<number, number>) {
  const spots = new Map<string, Spot>([[nodeName(ROOT), { lane: 0, tier: ROOT_TIER, row: 0 }]]);
  for (const node of graph.nodes) {
    const lane = lanes.get(node.branch) ?? 0;
    const name = nodeName(node.id);
    spots.set(name, { lane, tier: TIERS[node.shape] ?? 1, row: rows.get(name) ?? 0 });
    for (const call of node.opened)
      spots.set(callName(call.id), { lane, tier: CALL_TIER, row: rows.get(callName(call.id)) ?? 0 });
  }
  return spots;
}

/** A column for every tier of every lane in which something stands, and none for the others. */
function columnsOf(spots: Iterable<Spot>): (spot: Spot) => number {
  const key = (spot: Spot) => spot.lane * (CALL_TIER + 1) + spot.tier;
  const used = [...new Set([...spots].map(key))].sort((a, b) => a - b);
  const columns = new Map(used.map((tier, column) => [tier, column]));
  return (spot) => columns.get(key(spot)) ?? 0;
}

function orderLines(graph: Drawing, places: ReadonlyMap<string, Place>): Line[] {
  const makers = makersOf(graph);
  const trunk = graph.nodes.find((node) => node.predecessor === ROOT)?.id;
  return graph.nodes.flatMap((node) => {
    const target = nodeName(node.id);
    const maker = node.link === "spawn" ? makers.get(node.branch) : undefined;
    const source = maker !== undefined && places.has(maker) ? maker : nodeName(node.predecessor);
    const kind = node.link === "next" || node.id === trunk ? "same" : "fork";
    return [
      { id: `${source}-${target}`, kind, source, target, branch: node.branch } satisfies Line,
      ...thread(node),
    ];
  });
}

/** The calls of a turn, one behind the other. */
function thread(node: Node): Line[] {
  const names = [nodeName(node.id), ...node.opened.map((call) => callName(call.id))];
  return names.slice(1).map((target, index) => {
    const source = names[index] ?? target;
    return { id: `${source}-${target}`, kind: "call", source, target, branch: node.branch };
  });
}

function otherLines(graph: Drawing, places: ReadonlyMap<string, Place>): Line[] {
  return graph.edges.flatMap((edge) => {
    if (edge.source === null || edge.target === null || edge.kind === "spawn") return [];
    const [source, target] = [nodeName(edge.source), nodeName(edge.target)];
    if (!places.has(source) || !places.has(target)) return [];
    return [{ id: edge.id, kind: edge.kind as LineKind, source, target, branch: edge.branch }];
  });
}

/** A name below the last node of each branch that a person may choose; agents that calls made have none. */
function badgesOf(graph: Drawing, places: ReadonlyMap<string, Place>) {
  return graph.branches.flatMap((branch, index) => {
    const at = nodeName(branch.head);
    return branch.internal || branch.merged || !places.has(at) ? [] : [{ branch: index, at }];
  });
}

function exitsOf(graph: Drawing, places: ReadonlyMap<string, Place>) {
  const first = new Map<number, string>();
  for (const node of graph.nodes) if (!first.has(node.branch)) first.set(node.branch, firstName(node));
  const made = graph.branches.flatMap((branch, index) =>
    branch.elsewhere ? [{ at: first.get(index) ?? nodeName(ROOT), edge: null, branch: index }] : [],
  );
  const makes = graph.edges.flatMap((edge) => {
    if (edge.kind !== "spawn" || edge.source === null) return [];
    const call = callName(edge.call);
    return [{ at: places.has(call) ? call : nodeName(edge.source), edge: edge.id, branch: null }];
  });
  return [...made, ...makes];
}

/** What a conversation begins at. */
const firstName = (node: Node): string => nodeName(node.link === "root" ? ROOT : node.id);

const inOrder = (nodes: readonly Node[]): Node[] => [...nodes].sort((a, b) => a.id - b.id);

function maxOf<T>(values: Iterable<T>, by: (value: T) => number): number {
  let max = 0;
  for (const value of values) max = Math.max(max, by(value));
  return max;
}
