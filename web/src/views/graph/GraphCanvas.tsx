import { ReactFlow, useReactFlow, useStoreApi } from "@xyflow/react";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { GraphMind, type Mind } from "./GraphMind";
import { centre, SIZE, STEP } from "./geometry";
import { HoverCard } from "./HoverCard";
import { type FlowEdge, LineEdge } from "./LineEdge";
import type { Layout } from "./layout";
import { type Graph, nodeName } from "./model";
import { firstView, savedView, saveView, showsAny, ZOOM_MAX, ZOOM_MIN } from "./savedView";
import { type FlowNode, ThingNode } from "./ThingNode";
import { describe, type Thing } from "./things";
import { walk, wayOf } from "./walk";
import { ZoomTools } from "./ZoomTools";
import "@xyflow/react/dist/base.css";

const NODE_TYPES = { thing: ThingNode };
const EDGE_TYPES = { line: LineEdge };
const NO_LINK = { hideAttribution: true };

type Props = {
  graph: Graph;
  layout: Layout;
  things: ReadonlyMap<string, Thing>;
  active: string;
  /** Of what details are shown. */
  shown: string | null;
  setActive: (name: string) => void;
  /** Enter or a click: details of a thing, or the stretch opens. */
  choose: (name: string) => void;
  toggle: (id: number) => void;
  checkOut: (branchId: string) => void;
};

/** The drawing: to be dragged, zoomed about the cursor, and walked by keys. */
export function GraphCanvas(props: Props) {
  const { graph, layout, things, active, shown, setActive, choose, toggle, checkOut } = props;
  const [hovered, setHovered] = useState<string | null>(null);
  const [isFocused, setFocused] = useState(false);
  const pane = useRef<HTMLDivElement>(null);
  const pointed = hovered ?? (isFocused ? active : null);
  const nodes = useFlowNodes(layout, things);
  const edges = useFlowEdges(graph, layout, pointed ?? shown);
  const show = useShow(layout);
  const { setViewport } = useReactFlow();

  const mind: Mind = useMemo(
    () => ({ graph, things, active: isFocused ? active : "", setHovered, toggle, checkOut }),
    [graph, things, isFocused, active, toggle, checkOut],
  );

  const begin = useCallback(() => {
    const { clientWidth, clientHeight } = pane.current ?? { clientWidth: 800, clientHeight: 600 };
    const view = savedView(graph.session_id);
    const isOfUse = view !== null && showsAny(view, layout, clientWidth, clientHeight);
    void setViewport(isOfUse ? view : firstView(layout, nodeName(graph.head), clientWidth, clientHeight));
  }, [graph.session_id, graph.head, layout, setViewport]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    const way = wayOf(event.key);
    const node = things.get(active)?.node;
    if (way) {
      const next = walk(layout, active, way, nodeName(graph.head));
      setActive(next);
      show(next);
    } else if (event.key === "Enter") choose(active);
    else if (event.key === " " && node && node.calls > 0) toggle(node.id);
    else return;
    event.preventDefault();
  };

  const thing = things.get(active);
  return (
    <GraphMind value={mind}>
      <div
        ref={pane}
        className="graph-canvas"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the drawing is walked by the arrow keys.
        tabIndex={0}
        role="application"
        aria-label="Graph of the session. Arrow keys walk it, Enter shows details, Space shows the calls of a turn."
        aria-describedby="graph-active"
        onKeyDown={onKeyDown}
        onFocus={(event) => setFocused(event.target === event.currentTarget)}
        onBlur={() => setFocused(false)}
      >
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onInit={begin}
          onMoveEnd={(_, view) => saveView(graph.session_id, view)}
          onNodeClick={(_, node) => {
            setActive(node.id);
            choose(node.id);
          }}
          minZoom={ZOOM_MIN}
          maxZoom={ZOOM_MAX}
          zoomOnDoubleClick={false}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          onlyRenderVisibleElements
          proOptions={NO_LINK}
        >
          {pointed && (
            <HoverCard graph={graph} thing={things.get(pointed)} place={layout.places.get(pointed)} />
          )}
          <ZoomTools />
        </ReactFlow>
      </div>
      <p id="graph-active" className="unseen" aria-live="polite">
        {thing && isFocused ? describe(graph, thing) : ""}
      </p>
    </GraphMind>
  );
}

function useFlowNodes(layout: Layout, things: ReadonlyMap<string, Thing>): FlowNode[] {
  const old = useRef(new Map<string, FlowNode>());
  return useMemo(() => {
    const nodes = new Map<string, FlowNode>();
    for (const [name, place] of layout.places) {
      const thing = things.get(name);
      if (!thing) continue;
      const { x, y } = centre(place);
      const node: FlowNode = {
        id: name,
        type: "thing",
        position: { x: x - SIZE / 2, y: y - SIZE / 2 },
        data: { thing },
        width: SIZE,
        height: SIZE,
      };
      const before = old.current.get(name);
      nodes.set(name, before && JSON.stringify(before) === JSON.stringify(node) ? before : node);
    }
    old.current = nodes;
    return [...nodes.values()];
  }, [layout, things]);
}

/** The lines; those of messages only where one points at an end of theirs. */
function useFlowEdges(graph: Graph, layout: Layout, pointed: string | null): FlowEdge[] {
  return useMemo(() => {
    const status = new Map(graph.edges.map((edge) => [edge.id, edge.status]));
    return layout.lines.flatMap((line) => {
      const isMail = line.kind === "sent" || line.kind === "replied";
      if (isMail && pointed !== line.source && pointed !== line.target) return [];
      const [from, to] = [layout.places.get(line.source), layout.places.get(line.target)];
      if (!from || !to) return [];
      const colour = graph.branches[line.branch]?.colour ?? 0;
      return [
        {
          id: line.id,
          type: "line",
          source: line.source,
          target: line.target,
          data: { line, from, to, colour, status: status.get(line.id) ?? "done" },
        } satisfies FlowEdge,
      ];
    });
  }, [graph, layout, pointed]);
}

/** Brings something into view that is outside of it, and moves nothing otherwise. */
function useShow(layout: Layout): (name: string) => void {
  const { getViewport, setCenter } = useReactFlow();
  const store = useStoreApi();
  const latest = useRef(layout);
  useEffect(() => {
    latest.current = layout;
  });
  return useCallback(
    (name) => {
      const place = latest.current.places.get(name);
      if (!place) return;
      const { x, y } = centre(place);
      const view = getViewport();
      const { width, height } = store.getState();
      const [left, top] = [x * view.zoom + view.x, y * view.zoom + view.y];
      const edge = STEP * Math.min(1, view.zoom);
      if (left < edge || top < edge || left > width - edge || top > height - edge)
        void setCenter(x, y, { zoom: view.zoom });
    },
    [getViewport, setCenter, store],
  );
}
