import { NodeToolbar, Position, useStore } from "@xyflow/react";
import { Foreign } from "../../shell/Foreign";
import { Tokens } from "../../shell/Tokens";
import { centre } from "./geometry";
import type { Place } from "./layout";
import type { Graph } from "./model";
import { SHAPE_NAMES } from "./Shape";
import type { Thing } from "./things";

type Props = { graph: Graph; thing: Thing | undefined; place: Place | undefined };

/** What one points at, in short: what it is, whose, what it has used, and how it begins. */
export function HoverCard({ graph, thing, place }: Props) {
  const [x, , zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  if (!thing || !place) return null;
  const isLeft = centre(place).x * zoom + x < width / 2;
  const side = isLeft ? Position.Right : Position.Left;
  return (
    <NodeToolbar nodeId={thing.name} isVisible position={side} align="start" offset={20}>
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
            <Foreign text={call.preview} />
          </p>
        )}
      </>
    );
  if (!node) return <Foreign text={graph.title || "Root of the session"} />;
  if (node.shape === "stretch")
    return <>{node.count.toLocaleString("en")} nodes are left out here; a click opens them</>;
  return (
    <>
      <strong>
        <Foreign text={node.agent} />
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
        <Foreign text={node.preview || "(no text)"} />
      </p>
    </>
  );
}
