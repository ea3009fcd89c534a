import type { Layout } from "./layout";
import { type Mark, markOf, statusOf } from "./marks";
import {
  callName,
  type Elsewhere,
  type Graph,
  type GraphCall,
  type GraphNode,
  headChain,
  nodeName,
  ROOT,
} from "./model";

/** Something that is drawn: the root, a node, or a call of an opened turn; with all that its picture says. */
export type Thing = {
  name: string;
  node: GraphNode | null;
  call: GraphCall | null;
  branch: number;
  mark: Omit<Mark, "shape"> & { shape: string };
  badges: readonly number[];
  exits: readonly Elsewhere[];
};

/** Everything that is drawn, by its name. */
export function thingsOf(graph: Graph, layout: Layout): ReadonlyMap<string, Thing> {
  const chain = headChain(graph);
  const things = new Map<string, Thing>();
  const add = (thing: Omit<Thing, "badges" | "exits">) => {
    const badges = layout.badges.filter((badge) => badge.at === thing.name).map((badge) => badge.branch);
    things.set(thing.name, { ...thing, badges, exits: exitsAt(graph, layout, thing.name) });
  };
  const calm = { status: "done", isAside: false, isCovered: true } as const;
  add({
    name: nodeName(ROOT),
    node: null,
    call: null,
    branch: graph.nodes.find((node) => node.predecessor === ROOT)?.branch ?? graph.branch,
    mark: { shape: "root", isHead: graph.head === ROOT, ...calm },
  });
  for (const node of graph.nodes) {
    const mark = markOf(node, graph.head, chain);
    add({ name: nodeName(node.id), node, call: null, branch: node.branch, mark });
    for (const call of node.opened)
      add({
        name: callName(call.id),
        node,
        call,
        branch: call.branch ?? node.branch,
        mark: { ...calm, shape: call.shape, status: statusOf(call.status), isHead: false },
      });
  }
  return things;
}

function exitsAt(graph: Graph, layout: Layout, name: string): Elsewhere[] {
  return layout.exits.flatMap((exit) => {
    if (exit.at !== name) return [];
    const way =
      exit.branch === null
        ? graph.edges.find((edge) => edge.id === exit.edge)?.elsewhere
        : graph.branches[exit.branch]?.elsewhere;
    return way ? [way] : [];
  });
}

/** A thing in one sentence, for who does not see the drawing. */
export function describe(graph: Graph, thing: Thing): string {
  const branch = graph.branches[thing.branch];
  const where = branch ? `, branch ${branch.label}` : "";
  if (thing.call) return `Call ${thing.call.tool}, ${thing.mark.status}${where}. ${thing.call.preview}`;
  if (!thing.node) return `Root of the session ${graph.title}`;
  if (thing.node.shape === "stretch") return `${thing.node.count} nodes that are left out${where}`;
  const { agent, preview, calls, spawns, replies } = thing.node;
  const facts = [
    thing.mark.isHead ? "head" : "",
    thing.mark.status === "done" ? "" : thing.mark.status,
    calls ? `${calls} calls${spawns ? `, ${spawns} of them made an agent` : ""}` : "",
    replies ? `answers that came back: ${replies}` : "",
  ].filter(Boolean);
  const said = thing.node.shape === "user" ? `${agent} said` : `${thing.node.shape} ${agent}`;
  return `${said}: ${preview || "nothing"}${where}${facts.length ? `. ${facts.join(", ")}` : ""}`;
}
