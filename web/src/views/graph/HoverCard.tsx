import { NodeToolbar, Position } from "@xyflow/react";
import { Tokens } from "../../shell/Tokens";
import type { Graph } from "./model";
import { SHAPE_NAMES } from "./Shape";
import type { Thing } from "./things";

/** What one points at, in short: what it is, whose, what it has used, and how it begins. */
export function HoverCard({ graph, thing, name }: { graph: Graph; thing: Thing | undefined; name: string }) {
  if (!thing) return null;
  return (
    <NodeToolbar nodeId={name} isVisible position={Position.Right} align="start" offset={16}>
      <div className="graph-card" role="tooltip">
        <CardText graph={graph} thing={thing} />
      </div>
    </NodeToolbar>
  );
}

function CardText({ graph, thing: { node, call, mark } }: { graph: Graph; thing: Thing }) {
  const kind = SHAPE_NAMES[mark.shape] ?? mark.shape;
  if (call)
    return (
      <>
        <strong>{call.tool}</strong> <span className="graph-card-facts">{`${kind}, ${mark.status}`}</span>
        {call.preview && (
          <p>
            <bdi>{call.preview}</bdi>
          </p>
        )}
      </>
    );
  if (!node) return <bdi>{graph.title || "Root of the session"}</bdi>;
  if (node.shape === "stretch") return <>{node.count} nodes are left out here; a click opens them</>;
  return (
    <>
      <strong>
        <bdi>{node.agent}</bdi>
      </strong>{" "}
      <span className="graph-card-facts">
        {kind}
        {mark.status !== "done" && `, ${mark.status}`}
        {node.tokens > 0 && (
          <>
            , <Tokens n={node.tokens} /> tokens
          </>
        )}
      </span>
      <p>
        <bdi>{node.preview || "(no text)"}</bdi>
      </p>
    </>
  );
}
