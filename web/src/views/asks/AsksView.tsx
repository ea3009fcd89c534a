import { useState } from "react";
import { useAsks } from "../../api/asks";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { KeysAdvice } from "../../shell/KeysSwitch";
import { Loading } from "../../shell/Loading";
import { useKeys } from "../../shell/useKeys";
import { AskCard } from "./AskCard";
import { Keys } from "./Keys";
import "./asks.css";

/** Everything that agents ask the person, from any child of any conversation, oldest first. */
export default function AsksView() {
  const { data: asks, error } = useAsks();
  const [chosen, setChosen] = useState("");
  const [isHelp, setHelp] = useState(false);
  const ids = asks?.map((ask) => ask.ask_id) ?? [];

  function go(step: 1 | -1): void {
    const id = neighbour(ids, chosen, step);
    setChosen(id);
    document.getElementById(cardId(id))?.focus();
  }
  const next = () => go(1);
  const previous = () => go(-1);
  useKeys({
    j: next,
    ArrowDown: next,
    k: previous,
    ArrowUp: previous,
    a: () => decide("approve"),
    d: () => decide("deny"),
    "?": () => setHelp(!isHelp),
  });

  return (
    <>
      <div className="asks-head">
        <h1>Asks</h1>
        <button type="button" aria-expanded={isHelp} onClick={() => setHelp(!isHelp)}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      {isHelp && (
        <>
          <Keys />
          <KeysAdvice />
        </>
      )}
      {error && <Failure error={error} />}
      {!asks && !error && <Loading />}
      {asks?.length === 0 && <Empty>No agent asks for anything.</Empty>}
      <ul className="asks" aria-label="Open asks">
        {asks?.map((ask) => (
          <li key={ask.ask_id}>
            <AskCard ask={ask} id={cardId(ask.ask_id)} onFocus={() => setChosen(ask.ask_id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function cardId(askId: string): string {
  return `ask-${askId}`;
}

/** Only what one looks at is decided: where the focus is elsewhere the keys do nothing. */
function decide(how: "approve" | "deny"): void {
  const card = document.activeElement?.closest(".ask");
  card?.querySelector<HTMLElement>(`[data-key="${how}"]`)?.click();
}

function neighbour(ids: readonly string[], chosen: string, step: 1 | -1): string {
  const at = ids.indexOf(chosen);
  const to = at < 0 ? 0 : at + step;
  return ids[Math.min(Math.max(to, 0), ids.length - 1)] ?? "";
}
