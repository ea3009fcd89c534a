import { Link } from "wouter";
import { endWords } from "../../../shell/ended";
import { Foreign } from "../../../shell/Foreign";
import { toWhy } from "../../../shell/links";
import { Money } from "../../../shell/Money";
import { StateBadge } from "../../../shell/StateBadge";
import { Tokens } from "../../../shell/Tokens";
import type { RowOf } from "../model";
import { Frame } from "./Frame";
import { RowMenu } from "./RowMenu";

const CALM = new Set(["answered", "empty"]);

/** How a turn ended; a failure with its code, its cause and what to do. */
export function TurnEnd({ row }: { row: RowOf<"turn_end"> }) {
  const { code, cause, remedy, budget } = row;
  const isCalm = CALM.has(code) || (!code && !cause);
  return (
    <Frame
      words="system"
      what={
        <>
          turn <StateBadge state={row.state} /> after {row.rounds} {row.rounds === 1 ? "round" : "rounds"}
        </>
      }
      aside={
        <>
          <Link href={toWhy(row.turn_id)}>why</Link>
          {row.node_id !== null && <RowMenu nodeId={row.node_id} />}
        </>
      }
    >
      {!isCalm && (
        <div
          className={`note ${row.state === "failed" || row.state === "interrupted" ? "note-bad" : "note-warn"}`}
        >
          <p>
            {code && <code>{code}</code>}{" "}
            <Foreign text={cause || (endWords(code) === code ? "" : endWords(code))} />
          </p>
          {remedy && <p>What to do: {remedy}.</p>}
          {budget && (
            <p>
              The chain has spent <Tokens n={budget.tokens} />
              {budget.tokens_max !== null && (
                <>
                  {" of "}
                  <Tokens n={budget.tokens_max} />
                </>
              )}{" "}
              tokens and <Money micros={budget.cost_micros} />
              {budget.cost_micros_max !== null && (
                <>
                  {" of "}
                  <Money micros={budget.cost_micros_max} />
                </>
              )}
              .
            </p>
          )}
        </div>
      )}
    </Frame>
  );
}
