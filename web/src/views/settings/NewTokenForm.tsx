import type { FormEvent } from "react";
import type { Schemas } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";

const SCOPES = [
  ["read", "see everything"],
  ["operate", "and speak, steer, decide"],
  ["admin", "and delete, change rights, hand out tokens"],
] as const;
const DAY_US = 86_400_000_000;

type Props = { busy: boolean; onAdd: (given: Schemas["TokenGiven"]) => Promise<boolean> };

/** For whom a token is, what it is good for, and how long. */
export function NewTokenForm({ busy, onAdd }: Props) {
  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const scope = SCOPES.find(([one]) => one === data.get("scope"))?.[0] ?? "read";
    const days = Number(data.get("days") ?? 0);
    const isAdded = await onAdd({
      name: String(data.get("name") ?? "").trim(),
      scope,
      ...(days > 0 && { expires_us: Date.now() * 1_000 + days * DAY_US }),
    });
    // What the daemon refuses stays, to be put right.
    if (isAdded) form.reset();
  }

  return (
    <form className="rows-fields" onSubmit={(event) => void onSubmit(event)} aria-label="New token">
      <label>
        For whom
        <input name="name" required maxLength={100} autoComplete="off" />
      </label>
      <label>
        May
        <select name="scope">
          {SCOPES.map(([scope, words]) => (
            <option key={scope} value={scope}>
              {scope}: {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Days (empty: for ever)
        <input name="days" inputMode="numeric" pattern="[0-9]{1,4}" size={6} />
      </label>
      <DeedButton needs="admin" type="submit" disabled={busy}>
        Make a token
      </DeedButton>
    </form>
  );
}
