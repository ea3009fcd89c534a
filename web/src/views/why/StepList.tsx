import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { Foreign } from "../../shell/Foreign";
import { Money } from "../../shell/Money";
import { Stamp } from "../../shell/Stamp";
import { StateBadge } from "../../shell/StateBadge";
import type { Piece, Step } from "./pieces";

/** A chain of steps as lists in lists. */
export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="why-steps">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a chain only grows at its end
        <li key={index} className="why-step">
          <span className="why-word">{step.word}</span>{" "}
          {step.pieces.map((piece, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <span key={place}>
              <PieceView piece={piece} />{" "}
            </span>
          ))}
          {step.steps.length > 0 && <StepList steps={step.steps} />}
        </li>
      ))}
    </ol>
  );
}

function PieceView({ piece }: { piece: Piece }) {
  switch (piece.as) {
    case "words":
      return <span className="rows-muted">{piece.text}</span>;
    case "foreign":
      return <Foreign className="why-foreign" text={piece.text} />;
    case "who":
      return <WhoName who={piece.who} row={piece.row} />;
    case "link":
      return (
        <Link href={piece.href} title={piece.id}>
          {piece.text}
        </Link>
      );
    case "state":
      return <StateBadge state={piece.state} />;
    case "moment":
      return <Stamp us={piece.us} />;
    case "money":
      return <Money micros={piece.micros} />;
  }
}

function WhoName({ who, row }: { who: Schemas["Who"]; row: string | undefined }) {
  if (who.by === "agent") {
    return <AgentName label={who.name ?? ""} branchId={who.branch_id} address={addressOf(who)} row={row} />;
  }
  const known = NAMES[who.by];
  if (who.by === "plugin" || who.by === "bus" || known === undefined)
    return <Foreign text={who.name || who.by || "nobody"} />;
  return (
    <>
      {known}
      {who.name && (
        <>
          {", again as "}
          <Foreign text={who.name} />
        </>
      )}
    </>
  );
}

const NAMES: { [by: string]: string } = { person: "you", system: "Postroom" };

function addressOf(who: Schemas["Who"]): string {
  return who.session_id && who.branch_id ? `${who.session_id}:${who.branch_id}` : (who.branch_id ?? "");
}
