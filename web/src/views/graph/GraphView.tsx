import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import { useDeletion } from "../../api/deletion";
import { AgentName } from "../../shell/AgentName";
import { Deleted } from "../../shell/Deleted";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { useParam } from "../../shell/links";
import { GraphCanvas } from "./GraphCanvas";
import { GraphLegend } from "./GraphLegend";
import { GraphTable } from "./GraphTable";
import { layOut } from "./layout";
import { type Graph, nodeName } from "./model";
import { NodeDetails } from "./NodeDetails";
import { thingsOf } from "./things";
import { useAsked } from "./useAsked";
import { useGraph } from "./useGraph";
import "./graph.css";
import { Foreign } from "../../shell/Foreign";

/** The conversations of a session as a graph: live, to be walked, and to fork or revert from. */
export default function GraphView() {
  const session = useParam("session");
  return <Live key={session} session={session} />;
}

function Live({ session }: { session: string }) {
  const [isDeleted, setDeleted] = useState(false);
  return isDeleted ? <Deleted /> : <Loaded session={session} onDeleted={() => setDeleted(true)} />;
}

function Loaded({ session, onDeleted }: { session: string; onDeleted: () => void }) {
  const asking = useAsked();
  const { data, error } = useGraph(session, asking.asked);
  useDeletion(data?.session_id ?? "", onDeleted);
  if (error && !data) return <Failure error={error} />;
  if (!data) return <Loading what="Loading the graph" />;
  return (
    <ReactFlowProvider key={data.session_id}>
      <Drawn graph={data} asking={asking} />
    </ReactFlowProvider>
  );
}

function Drawn({ graph, asking }: { graph: Graph; asking: ReturnType<typeof useAsked> }) {
  const layout = useMemo(() => layOut(graph), [graph]);
  const things = useMemo(() => thingsOf(graph, layout), [graph, layout]);
  const [chosenActive, setActive] = useState(nodeName(graph.head));
  const [shown, setShown] = useState<string | null>(null);
  const active = things.has(chosenActive) ? chosenActive : nodeName(graph.head);
  const { open, toggle, checkOut } = asking;
  const choose = useCallback(
    (name: string) => {
      const thing = things.get(name);
      setActive(name);
      if (thing?.node?.shape === "stretch" && !thing.call) open(thing.node.id);
      else setShown(name);
    },
    [things, open],
  );
  const details = shown === null ? undefined : things.get(shown);
  const close = () => {
    setShown(null);
    document.querySelector<HTMLElement>(".graph-canvas")?.focus();
  };
  return (
    <>
      <Head graph={graph} />
      <div className={`graph-view ${details ? "graph-view-details" : ""}`}>
        <GraphCanvas {...{ graph, layout, things, active, shown, setActive, choose, toggle, checkOut }} />
        {details && <NodeDetails graph={graph} thing={details} toggle={toggle} close={close} />}
      </div>
      <GraphLegend />
      <GraphTable graph={graph} things={things} choose={choose} />
    </>
  );
}

function Head({ graph }: { graph: Graph }) {
  const branch = graph.branches[graph.branch];
  const left = graph.items - graph.nodes.filter((node) => node.shape !== "stretch").length;
  return (
    <div className="graph-head">
      <h1>
        Graph of <Foreign text={graph.title || "a session"} />
      </h1>
      {branch && (
        <span>
          In the foreground: <AgentName label={branch.label} address={branch.address} />
          {branch.sealed && " (left by a revert)"}
        </span>
      )}
      {left > 0 && (
        <span>{left.toLocaleString("en")} nodes are left out; a click on a count opens them.</span>
      )}
      {graph.hidden_branches > 0 && <span>{graph.hidden_branches} older branches are not drawn.</span>}
    </div>
  );
}
