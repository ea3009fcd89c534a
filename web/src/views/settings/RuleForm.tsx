import type { FormEvent } from "react";
import type { Schemas } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";

const ACTIONS = ["message", "delegate", "read", "write", "shell", "mcp"] as const;
const EFFECTS = ["allow", "ask", "deny"] as const;

type Props = { busy: boolean; onAdd: (rule: Schemas["RuleGiven"]) => Promise<boolean> };

/** One more rule over a conversation; one of the same action and pattern makes way for it. */
export function RuleForm({ busy, onAdd }: Props) {
  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const isAdded = await onAdd({
      effect: EFFECTS.find((one) => one === data.get("effect")) ?? "ask",
      action: String(data.get("action") ?? ""),
      pattern: String(data.get("pattern") ?? "").trim(),
    });
    // What the daemon refuses stays, to be put right.
    if (isAdded) form.reset();
  }

  return (
    <form className="rows-fields" onSubmit={(event) => void onSubmit(event)} aria-label="New rule">
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
