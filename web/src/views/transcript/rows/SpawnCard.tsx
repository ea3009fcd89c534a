import { Link } from "wouter";
import { AgentName } from "../../../shell/AgentName";
import { endWords } from "../../../shell/ended";
import { Foreign } from "../../../shell/Foreign";
import { toWhy } from "../../../shell/links";
import { Money } from "../../../shell/Money";
import { plain } from "../../../shell/plain";
import { StateBadge } from "../../../shell/StateBadge";
import { shown } from "../../../shell/shown";
import { Tokens } from "../../../shell/Tokens";
import type { RowOf } from "../model";
import { Frame } from "./Frame";

/** Another agent at work for this one, as it is right now; nothing of the card is in the conversation. */
export function SpawnCard({ row }: { row: RowOf<"spawn"> }) {
  const { agent } = row;
  return (
    <Frame
      words="agent"
      what={
        <>
          {row.made_agent ? "made an agent: " : "gave a task to "}
          <AgentName label={agent.name} branchId={agent.branch_id} address={agent.address} />
          {row.background && ", in the background"}
        </>
      }
      aside={
        <>
          <StateBadge state={row.status === "done" ? "finished" : row.status} />{" "}
          <Link href={toWhy(row.message_id)}>why</Link>
        </>
      }
    >
      <div className="transcript-card" data-task={row.task_id}>
        <p>
          <strong dir="auto">{shown(row.description)}</strong>
        </p>
        <p className="transcript-muted">
          <Foreign text={row.profile} />, task <code>{row.task_id}</code>
          {row.outcome && `, ${plain(row.outcome)}`}
          {row.cause && (
            <>
              {": "}
              <Foreign text={endWords(row.cause)} />
            </>
          )}
          {", "}
          <Tokens n={row.tokens} /> tokens, <Money micros={row.cost_micros} />
        </p>
        {row.preview && (
          <blockquote className="transcript-preview" dir="auto">
            {shown(row.preview)}
          </blockquote>
        )}
      </div>
    </Frame>
  );
}
