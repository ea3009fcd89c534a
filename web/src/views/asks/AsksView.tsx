import { useEffect, useEffectEvent, useState } from "react";
import { useAsks } from "../../api/asks";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { AskCard } from "./AskCard";
import { Keys } from "./Keys";
import { type Step, stepOf } from "./steps";
import "./asks.css";

/** Everything that agents ask the person, from any child of any conversation, oldest first. */
export default function AsksView() {
  const { data: asks, error } = useAsks();
  const [chosen, setChosen] = useState("");
  const [isHelp, setHelp] = useState(false);
  const ids = asks?.map((ask) => ask.ask_id) ?? [];

  const act = useEffectEvent((step: Step) => {
    if (step === "help") return setHelp(!isHelp);
    if (step === "next" || step === "previous") return choose(neighbour(ids, chosen, step));
    // Only what one looks at is decided: where the focus is elsewhere the keys do nothing.
    const card = document.activeElement?.closest(".ask");
    card?.querySelector<HTMLElement>(`[data-key="${step}"]`)?.click();
  });
  function choose(id: string): void {
    setChosen(id);
    document.getElementById(cardId(id))?.focus();
  }
  useEffect(() => {
    function pressed(event: KeyboardEvent): void {
      const step = stepOf(event);
      if (step === null) return;
      event.preventDefault();
      act(step);
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);

  return (
    <>
      <div className="asks-head">
        <h1>Asks</h1>
        <button type="button" aria-expanded={isHelp} onClick={() => setHelp(!isHelp)}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      {isHelp && <Keys />}
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

function neighbour(ids: readonly string[], chosen: string, step: "next" | "previous"): string {
  const at = ids.indexOf(chosen);
  const to = at < 0 ? 0 : at + (step === "next" ? 1 : -1);
  return ids[Math.min(Math.max(to, 0), ids.length - 1)] ?? "";
}
