import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { AgentName } from "../../shell/AgentName";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { DeedButton } from "../../shell/DeedButton";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";
import { toAgent, toGraph, toMessage, toWhy } from "../../shell/links";
import { Money } from "../../shell/Money";
import { Stamp } from "../../shell/Stamp";
import { StateBadge } from "../../shell/StateBadge";
import { shown } from "../../shell/shown";
import { Tokens } from "../../shell/Tokens";
import { useDeed } from "../../shell/useDeed";
import type { Graph } from "./model";
import { SHAPE_NAMES } from "./Shape";
import type { Thing } from "./things";

type Props = { graph: Graph; thing: Thing; toggle: (id: number) => void; close: () => void };

/** What was chosen in full, and what a person can do from there. */
export function NodeDetails({ graph, thing, toggle, close }: Props) {
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing is shown, so reading begins anew.
  useEffect(() => panel.current?.focus(), [thing.name]);
  const kind = SHAPE_NAMES[thing.mark.shape] ?? thing.mark.shape;
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className="graph-details"
      aria-label={`Details: ${kind}`}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <div className="graph-deeds">
        <h2>{thing.call ? thing.call.tool : kind}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {thing.call && <CallDetails thing={thing} />}
      {!thing.node && <RootDetails graph={graph} />}
      {thing.node && !thing.call && <NodeFacts graph={graph} thing={thing} toggle={toggle} />}
    </aside>
  );
}

function RootDetails({ graph }: { graph: Graph }) {
  const maker = graph.branches.find((branch) => branch.elsewhere)?.elsewhere;
  return (
    <>
      <p>
        <Foreign text={graph.title} />
      </p>
      {maker && (
        <p>
          Made by <Link href={toGraph(maker.session_id)}>{<Foreign text={maker.label} />}</Link>, in another
          session.
        </p>
      )}
      {graph.forked_from && (
        <p>
          Forked from <Link href={toGraph(graph.forked_from.session_id)}>another session</Link>.
        </p>
      )}
      <p>
        {graph.items} nodes, {graph.branches.length} branches
        {graph.hidden_branches > 0 && `, ${graph.hidden_branches} of them not drawn`}.
      </p>
    </>
  );
}

function CallDetails({ thing: { call } }: { thing: Thing }) {
  if (!call) return null;
  return (
    <>
      <p>
        <StateBadge state={call.status} />
      </p>
      <p className="graph-said">{shown(call.preview)}</p>
      {call.elsewhere && (
        <p>
          It made <AgentName label={call.elsewhere.label} address={call.elsewhere.branch_id} /> in{" "}
          <Link href={toGraph(call.elsewhere.session_id)}>another session ↗</Link>.
        </p>
      )}
    </>
  );
}

function NodeFacts({ graph, thing, toggle }: Omit<Props, "close">) {
  const id = thing.node?.id ?? 0;
  const branch = graph.branches[thing.branch]?.id ?? "";
  const { data, error } = useQuery({
    queryKey: KEYS.node(graph.session_id, id, branch),
    queryFn: async () =>
      taken(await api.GET("/api/v1/nodes/{node}", { params: { path: { node: id }, query: { branch } } })),
  });
  if (error) return <Failure error={error} />;
  if (!data || !thing.node) return <Loading />;
  const { node } = thing;
  return (
    <>
      <dl>
        <dt>Who</dt>
        <dd>
          <Foreign text={node.agent} />
        </dd>
        <dt>When</dt>
        <dd>
          <Stamp us={data.created_us} />
        </dd>
        {data.turn_state && (
          <>
            <dt>Turn</dt>
            <dd>
              <StateBadge state={data.turn_state} /> {data.end_reason}
            </dd>
          </>
        )}
        {data.input_tokens + data.output_tokens > 0 && (
          <>
            <dt>Used</dt>
            <dd>
              <Tokens n={data.input_tokens} /> in, <Tokens n={data.output_tokens} /> out,{" "}
              <Money micros={data.cost_micros} />
            </dd>
          </>
        )}
      </dl>
      <Deeds agent={data.address} place={data.place} revertible={data.revertible} />
      <p className="graph-deeds">
        <Link href={toAgent(data.branch_id, String(data.id))}>Open in transcript</Link>
        {data.turn_id && <Link href={toWhy(data.turn_id)}>Why</Link>}
        {data.message_id && <Link href={toMessage(data.message_id)}>Message</Link>}
        {node.calls > 0 && (
          <button type="button" onClick={() => toggle(node.id)}>
            {node.opened.length ? "Fold its calls" : `Show its ${node.calls} calls`}
          </button>
        )}
      </p>
      <Letters graph={graph} id={id} />
      <p className="graph-said" dir="auto">
        {shown(data.text)}
      </p>
    </>
  );
}

/** The messages that were sent or read at a node; those of other sessions have no line in the drawing. */
function Letters({ graph, id }: { graph: Graph; id: number }) {
  const letters = graph.edges.filter((edge) => edge.message_id && (edge.source === id || edge.target === id));
  if (letters.length === 0) return null;
  const branchOf = (node: number | null) =>
    graph.branches[graph.nodes.find((one) => one.id === node)?.branch ?? -1]?.label ?? "";
  return (
    <ul className="graph-letters">
      {letters.map((edge) => {
        const isSent = edge.source === id;
        const other = edge.elsewhere?.label ?? branchOf(isSent ? edge.target : edge.source);
        return (
          <li key={edge.id}>
            <Link href={toMessage(edge.message_id)}>{isSent ? "message to" : "message from"}</Link>{" "}
            <AgentName label={other} address={edge.elsewhere?.branch_id} />
            {edge.elsewhere && " ↗"}
          </li>
        );
      })}
    </ul>
  );
}

function Deeds({ agent, place, revertible }: { agent: string; place: string; revertible: boolean }) {
  const [, go] = useLocation();
  const fork = useDeed(async () => {
    const path = { params: { path: { agent } }, body: { to: place } };
    const made = taken(await api.POST("/api/v1/agents/{agent}/fork", path));
    go(toAgent(made.session_id));
  });
  const revert = useDeed(async () => {
    const body = { to: place, keep_tasks: false, dry_run: false };
    taken(await api.POST("/api/v1/agents/{agent}/revert", { params: { path: { agent } }, body }));
  });
  return (
    <div className="graph-deeds">
      <DeedButton disabled={fork.busy} onClick={() => void fork.run()}>
        Fork from here
      </DeedButton>
      <ConfirmButton
        question="Take the conversation back to here?"
        detail="What came later becomes a branch of its own. Tasks that were given there are cancelled."
        confirm="Revert"
        disabled={!revertible || revert.busy}
        title={revertible ? "" : "Only an agent without a turn, and on the path that goes on"}
        onConfirm={() => void revert.run()}
      >
        Revert to here
      </ConfirmButton>
    </div>
  );
}
