import type { FormEvent } from "react";
import { useLocation } from "wouter";
import { KINDS, type MailFilters, STATES, toFiltered } from "./filters";

/** What of the mail is shown. It stands in the address, so that it can be kept and sent to somebody. */
export function MailFilterBar({ filters }: { filters: MailFilters }) {
  const [, navigate] = useLocation();
  const show = (change: Partial<MailFilters>) =>
    navigate(toFiltered({ ...filters, ...change }), { replace: true });

  function onNames(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const name = (field: string) => String(given.get(field) ?? "").trim();
    navigate(
      toFiltered({ ...filters, agent: name("agent"), between: name("between"), session: name("session") }),
    );
  }

  return (
    <search>
      <form className="rows-filters" onSubmit={onNames} key={JSON.stringify(filters)}>
        <label>
          Agent
          <input name="agent" defaultValue={filters.agent} placeholder="id, handle or name" size={16} />
        </label>
        {filters.agent ? (
          <label>
            and
            <input name="between" defaultValue={filters.between} placeholder="any other" size={16} />
          </label>
        ) : (
          <label>
            Session
            <input name="session" defaultValue={filters.session} placeholder="all" size={16} />
          </label>
        )}
        <label>
          State
          <select
            value={filters.state}
            onChange={(event) => show({ state: STATES.find((one) => one === event.target.value) ?? "" })}
          >
            <option value="">any</option>
            {STATES.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        </label>
        <label>
          Kind
          <select
            value={filters.kind}
            onChange={(event) => show({ kind: KINDS.find((one) => one === event.target.value) ?? "" })}
          >
            <option value="">any</option>
            {KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <button type="submit">Show</button>
      </form>
    </search>
  );
}
