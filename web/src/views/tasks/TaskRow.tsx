import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { Ago } from "../../shell/Ago";
import { endWords } from "../../shell/ended";
import { Foreign } from "../../shell/Foreign";
import { toMessage, toWhy } from "../../shell/links";
import { StateBadge } from "../../shell/StateBadge";
import { durationText } from "../rows/duration";
import { StopTaskButton } from "../rows/MailDeeds";
import { isOpen } from "./filters";

/** One task: who gave it to whom, since when, and what came of it. */
export function TaskRow({ task }: { task: Schemas["TaskView"] }) {
  const ended = [task.outcome !== task.state && task.outcome, endWords(task.cause)]
    .filter(Boolean)
    .join(": ");
  return (
    <li className="rows-row">
      <div className="rows-line">
        <AgentName label={task.dispatcher} address={task.dispatcher_address} />
        <span aria-hidden="true">→</span>
        <span className="unseen"> gave to </span>
        <AgentName label={task.target} address={task.target_address} />
        <StateBadge state={task.state} />
        {ended && <Foreign className="rows-muted" text={ended} />}
        <span className="rows-muted">
          {task.ended_us === null ? (
            <>
              since <Ago us={task.given_us} />
            </>
          ) : (
            <>
              <Ago us={task.ended_us} /> ago, after {durationText(task.ended_us - task.given_us)}
            </>
          )}
        </span>
      </div>
      <p className="rows-text">
        <Link href={toMessage(task.message_id)} data-row="">
          <Foreign text={task.description || task.task_id} />
        </Link>
      </p>
      <div className="rows-line">
        <code className="rows-muted">{task.task_id}</code>
        <Link href={toWhy(task.message_id)}>Why</Link>
        {isOpen(task) && <StopTaskButton taskId={task.task_id}>Stop</StopTaskButton>}
      </div>
    </li>
  );
}
