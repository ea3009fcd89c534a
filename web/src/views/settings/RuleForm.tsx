import type { FormEvent } from "react";
import type { Schemas } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";

const ACTIONS = ["message", "delegate", "read", "write", "shell", "mcp"] as const;
const EFFECTS = ["allow", "ask", "deny"] as const;

type Props = { busy: boolean; onAdd: (rule: Schemas["RuleGiven"]) => void };

/** One more rule over a conversation; one of the same action and pattern makes way for it. */
export function RuleForm({ busy, onAdd }: Props) {
  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    onAdd({
      effect: EFFECTS.find((one) => one === data.get("effect")) ?? "ask",
      action: String(data.get("action") ?? ""),
      pattern: String(data.get("pattern") ?? "").trim(),
    });
    event.currentTarget.reset();
  }

  return (
    <form className="rows-fields" onSubmit={onSubmit} aria-label="New rule">
      <label>
        Effect
        <select name="effect" defaultValue="ask">
          {EFFECTS.map((effect) => (
            <option key={effect}>{effect}</option>
          ))}
        </select>
      </label>
      <label>
        Action
        <select name="action">
          {ACTIONS.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </select>
      </label>
      <label>
        On what (* is any text)
        <input name="pattern" required maxLength={1000} defaultValue="*" />
      </label>
      <DeedButton needs="admin" type="submit" disabled={busy}>
        Add the rule
      </DeedButton>
    </form>
  );
}
