import type { GraphNode } from "./model";

/** How a node is drawn: its shape says what it is, its stroke how it stands, its filling whether it is sent. */
export type Mark = {
  shape: GraphNode["shape"];
  status: "running" | "error" | "cancelled" | "done";
  /** A failure that the conversation in the foreground does not go through: grey, with its sign. */
  isAside: boolean;
  /** The end of the conversation in the foreground. */
  isHead: boolean;
  isCovered: boolean;
};

const STATUS = new Set<string>(["running", "error", "cancelled"]);

/** The status of something as it is drawn; what this page does not know counts as done. */
export function statusOf(status: string): Mark["status"] {
  return STATUS.has(status) ? (status as Mark["status"]) : "done";
}

/** How a node is drawn, with the conversation in the foreground in mind. */
export function markOf(
  node: Pick<GraphNode, "id" | "shape" | "status" | "covered">,
  head: number,
  chain: ReadonlySet<number>,
): Mark {
  const status = statusOf(node.status);
  return {
    shape: node.shape,
    status,
    isAside: status === "error" && !chain.has(node.id),
    isHead: node.id === head,
    isCovered: node.covered,
  };
}

/** A mark in words, as the legend and a screen reader have it. */
export function markName(mark: Mark): string {
  const states = [
    mark.status === "done" ? "" : mark.status,
    mark.isAside ? "aside" : "",
    mark.isHead ? "head" : "",
    mark.isCovered ? "covered" : "",
  ];
  return [mark.shape, ...states.filter(Boolean)].join(" ");
}
