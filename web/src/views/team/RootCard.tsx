import { memo, useId, useState } from "react";
import { Link } from "wouter";
import { type BoardAgent, type BoardRoot, useBoardOf } from "../../api/board";
import { Ago } from "../../shell/Ago";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { toAgent, toGraph, toTodos } from "../../shell/links";
import { shown } from "../../shell/shown";
import { AgentRow } from "./AgentRow";

/** One conversation of the person: what it is, and its agents, each behind the one that made it. */
export const RootCard = memo(function RootCard({ root }: { root: BoardRoot }) {
  const [isWhole, setWhole] = useState(false);
  const title = useId();
  const whole = useBoardOf(root.session_id, isWhole);
  const tree = whole.data?.roots[0] ?? root;
  // What happens in the sessions below is not counted as the root's own.
  const movedUs = Math.max(root.last_active_us, ...tree.agents.map((agent) => agent.doing.since_us));
  return (
    <section className="team-root" aria-labelledby={title}>
      <header className="team-head">
        <h2 id={title} title={root.title} dir="auto">
          <Link href={toAgent(root.session_id)}>{shown(root.title) || root.handle || root.session_id}</Link>
        </h2>
        {root.open_asks > 0 && (
          <Link className="team-asks" href="/asks">
            {root.open_asks} open for you
          </Link>
        )}
        <span className="team-quiet">
          active <Ago us={movedUs} /> ago
        </span>
        <Link href={toGraph(root.session_id)}>Graph</Link>
        <Link href={toTodos(root.session_id)}>To do</Link>
      </header>
      <p className="team-where team-quiet">
        surface {root.surface} · team <Foreign title={root.team} text={lastPart(root.team)} /> · in{" "}
        <Foreign title={root.cwd} text={root.cwd} />
      </p>
      <Agents agents={tree.agents} title={root.title} />
      {whole.isError && <Failure error={whole.error} />}
      {root.hidden > 0 && (
        <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show only those that move or are new" : `Show ${root.hidden} more that are over`}
        </button>
      )}
    </section>
  );
});

function Agents({ agents, title }: { agents: BoardAgent[]; title: string }) {
  return (
    <ul className="team-agents" aria-label={`Agents of ${title}`}>
      {agents.map((agent) => (
        <AgentRow key={agent.branch_id} agent={agent} />
      ))}
    </ul>
  );
}

function lastPart(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}
