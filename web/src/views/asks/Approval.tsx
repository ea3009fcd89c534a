import { type FormEvent, useState } from "react";
import type { Ask } from "../../api/asks";
import { api, taken } from "../../api/client";
import { useDeed } from "../../shell/useDeed";

type Props = { ask: Ask; onDecided: () => void };

/** Give leave once or for the whole tree, or refuse it with a reason that the agent reads. */
export function Approval({ ask, onDecided }: Props) {
  const [isDenying, setDenying] = useState(false);
  const params = { path: { ask: ask.ask_id } };
  const approve = useDeed(async (scope: "once" | "tree") => {
    taken(await api.POST("/api/v1/asks/{ask}/approve", { params, body: { scope } }));
    onDecided();
  });
  const deny = useDeed(async (reason: string) => {
    taken(await api.POST("/api/v1/asks/{ask}/deny", { params, body: { reason } }));
    onDecided();
  });
  const busy = approve.busy || deny.busy;
  return (
    <>
      <div className="ask-buttons">
        <button type="button" data-key="approve" disabled={busy} onClick={() => void approve.run("once")}>
          Approve once
        </button>
        <button type="button" disabled={busy} onClick={() => void approve.run("tree")}>
          Approve for the tree
        </button>
        <button
          type="button"
          data-key="deny"
          className="danger"
          disabled={busy}
          aria-expanded={isDenying}
          onClick={() => setDenying(!isDenying)}
        >
          Deny …
        </button>
      </div>
      {isDenying && <Denial busy={busy} onDeny={(reason) => void deny.run(reason)} />}
    </>
  );
}

function Denial({ busy, onDeny }: { busy: boolean; onDeny: (reason: string) => void }) {
  const [reason, setReason] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    onDeny(reason);
  }
  return (
    <form className="ask-form" onSubmit={submit}>
      <label>
        Reason, which the agent reads
        <input
          // biome-ignore lint/a11y/noAutofocus: whoever pressed "deny" goes on by writing why
          autoFocus
          dir="auto"
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <button type="submit" className="danger" disabled={busy}>
        Deny
      </button>
    </form>
  );
}
