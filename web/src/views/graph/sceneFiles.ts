import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Drawing, GraphNode } from "./model";

type Given = Partial<GraphNode> & Pick<GraphNode, "id" | "shape" | "branch" | "predecessor">;
type Call = { id: number; shape: string; branch?: number };

/** A graph and the drawing that it must give: places by column and row, lines, badges, exits and marks in words. */
export type Scene = {
  scene: string;
  graph: {
    head: number;
    nodes: (Omit<Given, "opened"> & { opened?: Call[] })[];
    branches: { head: number; internal?: boolean; merged?: boolean; elsewhere?: boolean }[];
    edges: {
      id: string;
      kind: string;
      source: number | null;
      target: number | null;
      branch: number;
      call?: number;
    }[];
  };
  places: Record<string, [column: number, row: number]>;
  lines: string[];
  badges: string[];
  exits: string[];
  marks?: Record<string, string>;
};

const FOLDER = join(import.meta.dirname, "scenes");

/** All scenes in their order. For tests only: they lie beside the code and are no part of the page. */
export const scenes = (): Scene[] => readdirSync(FOLDER).sort().map(scene);

/** One scene by the name of its file. */
export const scene = (file: string): Scene => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Scene;

type Marked = Pick<GraphNode, "status" | "covered">;
type Drawn = Omit<Drawing, "nodes"> & { nodes: (Drawing["nodes"][number] & Marked)[] };

/** A scene says only what matters to it; the rest is as it usually is. */
export function drawingOf({ graph }: Scene): Drawn {
  return {
    head: graph.head,
    branch: 0,
    nodes: graph.nodes.map((node) => ({
      link: "next",
      status: "done",
      covered: true,
      ...node,
      opened: (node.opened ?? []).map((call) => ({ branch: null, ...call })),
    })),
    branches: graph.branches.map((branch) => ({
      internal: false,
      merged: false,
      elsewhere: null,
      ...branch,
    })),
    edges: graph.edges.map((edge) => ({ call: 0, ...edge })),
  };
}
