import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { Link } from "wouter";
import { Foreign } from "../../shell/Foreign";
import { toGraph } from "../../shell/links";
import { useMind } from "./GraphMind";
import { colourClass, SIZE } from "./geometry";
import { Shape } from "./Shape";
import type { Thing } from "./things";

/** How many ways out are named at one node; its calls have all of them. */
const EXITS_SHOWN = 2;

/** A thing as the drawing holds it. */
export type FlowNode = Node<{ thing: Thing }, "thing">;

/** One node of the drawing: its shape, how it stands, what is folded into it, and the names below it. */
export const ThingNode = memo(function ThingNode({ data: { thing } }: NodeProps<FlowNode>) {
  const { graph, active, setHovered } = useMind();
  const { mark, name, node, call } = thing;
  const colour = graph.branches[thing.branch]?.colour ?? 0;
  const classes = [
    "graph-thing",
    colourClass(colour),
    `graph-is-${mark.status}`,
    mark.isAside && "graph-is-aside",
    mark.isHead && "graph-is-head",
    mark.isCovered && "graph-is-covered",
    active === name && "graph-is-active",
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing shows a card; the keyboard walks the drawing.
    <div
      className={classes.filter(Boolean).join(" ")}
      onMouseEnter={() => setHovered(name)}
      onMouseLeave={() => setHovered(null)}
    >
      <svg
        className="graph-picture"
        viewBox={`${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`}
        aria-hidden="true"
        focusable="false"
      >
        {mark.isHead && <circle className="graph-glow" r="16" />}
        <Shape shape={mark.shape} />
        {node?.shape === "stretch" && !call && (
          <text className="graph-count" y="4">
            {node.count}
          </text>
        )}
        {mark.status === "error" && (
          <text className="graph-alarm" x="-15" y="-7">
            !
          </text>
        )}
        {node && !call && node.replies > 0 && (
          <text className="graph-replies" x="-17" y="17">
            ↩{node.replies}
          </text>
        )}
      </svg>
      {node && !call && node.calls > 0 && <Shoulder thing={thing} />}
      <Names thing={thing} />
      <Handle type="target" position={Position.Top} isConnectable={false} className="graph-handle" />
      <Handle type="source" position={Position.Bottom} isConnectable={false} className="graph-handle" />
    </div>
  );
});

/** How many calls a turn has made; it opens and folds them. */
function Shoulder({ thing: { node } }: { thing: Thing }) {
  const { toggle } = useMind();
  if (!node) return null;
  const isOpen = node.opened.length > 0;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`graph-shoulder nopan ${node.failed ? "graph-shoulder-failed" : ""}`}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? "Fold" : "Show"} ${node.calls} calls`}
      title={`${node.calls} calls${node.spawns ? `, ${node.spawns} of them made an agent` : ""}${node.failed ? `, ${node.failed} failed` : ""}`}
      onClick={(event) => {
        event.stopPropagation();
        toggle(node.id);
      }}
    >
      {isOpen ? "−" : node.calls}
    </button>
  );
}

/** The ways into other sessions, and the names of the branches that end here. */
function Names({ thing }: { thing: Thing }) {
  const { graph, checkOut } = useMind();
  if (thing.badges.length === 0 && thing.exits.length === 0) return null;
  return (
    <div className="graph-names nopan">
      {thing.exits.slice(0, EXITS_SHOWN).map((exit) => (
        <Link
          key={exit.branch_id}
          tabIndex={-1}
          className="graph-exit"
          href={toGraph(exit.session_id)}
          title={`${exit.label}, in another session`}
          onClick={(event) => event.stopPropagation()}
        >
          <span aria-hidden="true">↗</span> <Foreign text={exit.label} />
        </Link>
      ))}
      {thing.exits.length > EXITS_SHOWN && (
        <span className="graph-exit">↗ {thing.exits.length - EXITS_SHOWN} more</span>
      )}
      {thing.badges.map((index) => {
        const branch = graph.branches[index];
        if (!branch) return null;
        return (
          <button
            key={branch.id}
            type="button"
            tabIndex={-1}
            className={`graph-badge ${colourClass(branch.colour)}`}
            aria-pressed={index === graph.branch}
            title={branch.sealed ? `${branch.label}, left by a revert` : branch.label}
            onClick={(event) => {
              event.stopPropagation();
              checkOut(branch.id);
            }}
          >
            {branch.sealed && <span aria-hidden="true">⟲ </span>}
            {branch.archived && <span aria-hidden="true">▣ </span>}
            <Foreign text={branch.label} />
          </button>
        );
      })}
    </div>
  );
}
