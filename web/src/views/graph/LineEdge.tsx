import type { Edge, EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { colourClass, pathOf } from "./geometry";
import type { Line, Place } from "./layout";

/** A line as the drawing holds it. */
export type FlowEdge = Edge<{ line: Line; from: Place; to: Place; colour: number; status: string }, "line">;

/** One line of the drawing: its style says what it is, its colour whose. */
export const LineEdge = memo(function LineEdge({ data }: EdgeProps<FlowEdge>) {
  if (!data) return null;
  const { line, from, to, colour, status } = data;
  const running = line.kind === "return" && status === "running" ? "graph-line-running" : "";
  return (
    <path
      className={`graph-line graph-line-${line.kind} ${colourClass(colour)} ${running}`}
      d={pathOf(line.kind, from, to)}
    />
  );
});
