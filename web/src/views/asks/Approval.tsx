import { type FormEvent, useState } from "react";
import type { Ask } from "../../api/asks";
import { api, taken } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";
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
        <DeedButton data-key="approve" disabled={busy} onClick={() => void approve.run("once")}>
          Approve once
        </DeedButton>
        <DeedButton disabled={busy} onClick={() => void approve.run("tree")}>
          Approve for the tree
        </DeedButton>
        <DeedButton
          data-key="deny"
          className="danger"
          disabled={busy}
          aria-expanded={isDenying}
          onClick={() => setDenying(!isDenying)}
        >
          Deny …
        </DeedButton>
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
      <DeedButton type="submit" className="danger" disabled={busy}>
        Deny
      </DeedButton>
    </form>
  );
}
