import type { FormEvent } from "react";
import type { Schemas } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";

const SCOPES = [
  ["read", "see everything"],
  ["operate", "and speak, steer, decide"],
  ["admin", "and delete, change rights, hand out tokens"],
] as const;
const DAY_US = 86_400_000_000;

type Props = { busy: boolean; onAdd: (given: Schemas["TokenGiven"]) => void };

/** For whom a token is, what it is good for, and how long. */
export function NewTokenForm({ busy, onAdd }: Props) {
  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const scope = SCOPES.find(([one]) => one === data.get("scope"))?.[0] ?? "read";
    const days = Number(data.get("days") ?? 0);
    onAdd({
      name: String(data.get("name") ?? "").trim(),
      scope,
      ...(days > 0 && { expires_us: Date.now() * 1_000 + days * DAY_US }),
    });
    event.currentTarget.reset();
  }

  return (
    <form className="rows-fields" onSubmit={onSubmit} aria-label="New token">
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
