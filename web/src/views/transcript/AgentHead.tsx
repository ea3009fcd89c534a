import { useId, useState } from "react";
import { Link } from "wouter";
import { AgentName } from "../../shell/AgentName";
import type { useAgentDeeds } from "../../shell/agentDeeds";
import { Foreign } from "../../shell/Foreign";
import { toGraph, toMail, toTodos, toWhy } from "../../shell/links";
import { Money } from "../../shell/Money";
import { plain } from "../../shell/plain";
import { StateBadge } from "../../shell/StateBadge";
import { shown } from "../../shell/shown";
import { Tokens } from "../../shell/Tokens";
import { AgentDeeds } from "./AgentDeeds";
import { BranchPicker } from "./BranchPicker";
import type { Heading } from "./model";
import { TitleLine } from "./TitleLine";
import { budgetLeft, doingWords } from "./words";

type Props = { heading: Heading; deeds: ReturnType<typeof useAgentDeeds> };

/** Who the agent is, what it does, what it has cost, and where else to look at it. */
export function AgentHead({ heading, deeds }: Props) {
  const { name, state, unread, made_by, turn_id } = heading;
  const [isUnfolded, setUnfolded] = useState(false);
  const facts = useId();
  const doing = doingWords(heading);
  const left = budgetLeft(heading.chain);
  return (
    <header className="transcript-head">
      <div className="transcript-line">
        <h1>
          <Foreign text={name || "(no name)"} />
        </h1>
        <StateBadge state={state} />
        <span className="transcript-doing" role="status" dir="auto">
          {shown(doing)}
        </span>
        {heading.doing.waits_for.includes("user") && <Link href="/asks">Decide</Link>}
        <BranchPicker heading={heading} />
      </div>
      <div className="transcript-line transcript-names">
        <TitleLine heading={heading} />
        <button
          type="button"
          className="transcript-unfold"
          aria-expanded={isUnfolded}
          aria-controls={facts}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          Facts
        </button>
      </div>
      <div
        id={facts}
        className={`transcript-line transcript-facts ${isUnfolded ? "transcript-unfolded" : ""}`}
      >
        <span>
          <Foreign text={heading.profile} />
          {made_by && (
            <>
              {heading.sealed ? ", left by " : ", made by "}
              <AgentName label={made_by.name} branchId={made_by.branch_id} address={made_by.address} />
            </>
          )}
        </span>
        <span>
          <Tokens n={heading.tokens} /> tokens, <Money micros={heading.cost_micros} />
        </span>
        {left !== null && (
          <span className={left < 0.1 ? "transcript-scarce" : undefined}>
            {Math.round(left * 100)}% of the budget left
          </span>
        )}
        {unread > 0 && <span>{unread} unread</span>}
        <span>mode {plain(heading.mode)}</span>
        <span>{heading.attended ? "attended" : "nobody attends"}</span>
        <nav aria-label="More of this agent">
          <Link href={toGraph(heading.session_id)}>Graph</Link>
          <Link href={toMail(heading.address)}>Mail</Link>
          {turn_id && <Link href={toWhy(turn_id)}>Why</Link>}
          <Link href={toTodos(heading.session_id)}>To do</Link>
        </nav>
      </div>
      <AgentDeeds heading={heading} deeds={deeds} />
    </header>
  );
}
