import { createContext, useContext } from "react";
import type { Graph } from "./model";
import type { Thing } from "./things";

/** What every node of a drawing must know, and what a person can do at it. */
export type Mind = {
  graph: Graph;
  active: string;
  setHovered: (name: string | null) => void;
  toggle: (id: number) => void;
  checkOut: (branchId: string) => void;
  things: ReadonlyMap<string, Thing>;
};

/** Beside the drawing and not in its nodes, so that pointing at one makes none of them anew. */
export const GraphMind = createContext<Mind | null>(null);

/** The mind of the drawing around. */
export function useMind(): Mind {
  const mind = useContext(GraphMind);
  if (mind === null) throw new Error("there is no graph around");
  return mind;
}
