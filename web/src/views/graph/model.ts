import type { Schemas } from "../../api/client";

/** The conversations of a session, as the daemon gives them. */
export type Graph = Schemas["GraphView"];
/** One item of the conversation layer. */
export type GraphNode = Schemas["GraphNode"];
/** One call of a turn that is opened. */
export type GraphCall = Schemas["GraphCall"];
/** One branch of the session. */
export type GraphBranch = Schemas["GraphBranch"];
/** What lies between two nodes beside their order. */
export type GraphEdge = Schemas["GraphEdge"];
/** The other end of what leaves the session. */
export type Elsewhere = Schemas["GraphElsewhere"];

/** What a layout needs of a graph. */
export type Drawing = {
  head: number;
  branch: number;
  nodes: readonly LaidNode[];
  branches: readonly LaidBranch[];
  edges: readonly LaidEdge[];
};
type LaidNode = Pick<GraphNode, "id" | "shape" | "branch" | "predecessor" | "link"> & {
  opened: readonly Pick<GraphCall, "id" | "shape" | "branch">[];
};
type LaidBranch = Pick<GraphBranch, "head" | "internal" | "merged"> & { elsewhere: unknown };
type LaidEdge = Pick<GraphEdge, "id" | "kind" | "source" | "target" | "branch" | "call">;

/** The node that every conversation of a session begins at. */
export const ROOT = 0;

/** What the drawing calls a node. */
export const nodeName = (id: number): string => `n${id}`;

/** What the drawing calls a call. */
export const callName = (id: number): string => `c${id}`;

/** The nodes of the conversation in the foreground, from its head to the root. */
export function headChain(graph: Pick<Drawing, "head" | "nodes">): ReadonlySet<number> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const chain = new Set<number>();
  for (let at = nodes.get(graph.head); at && !chain.has(at.id); at = nodes.get(at.predecessor)) {
    chain.add(at.id);
    if (at.link === "spawn") return chain;
  }
  return chain.add(ROOT);
}
