import { type FormEvent, useId, useRef, useState } from "react";
import { api, taken } from "../api/client";
import { newId } from "../api/ids";
import { DeedButton } from "./DeedButton";
import { toast } from "./toasts";
import { useDeed } from "./useDeed";
import "./write.css";
import { Foreign } from "./Foreign";

type Props = {
  /** The agent that reads it, by whatever means only this one. */
  agent: string;
  label: string;
  onSent?: () => void;
};

/** Write to an agent: join its running turn, or queue for a later one. */
export function WriteForm({ agent, label, onSent }: Props) {
  const [text, setText] = useState("");
  const [mode, setMode] = useState<"steer" | "queue">("steer");
  // The same text is never said twice, however often an answer is lost on its way.
  const clientId = useRef(newId());
  const field = useId();
  const send = useDeed(async () => {
    const params = { path: { agent } };
    const body = { body: text, mode, client_id: clientId.current };
    return taken(await api.POST("/api/v1/agents/{agent}/send", { params, body }));
  });

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const receipt = await send.run();
    if (receipt === undefined) return;
    clientId.current = newId();
    setText("");
    toast({
      tone: "calm",
      title: `Sent to ${label}`,
      text: `${receipt.mode}; it is ${receipt.recipient_state}`,
    });
    onSent?.();
  }

  return (
    <form className="write" onSubmit={(event) => void submit(event)}>
      <label htmlFor={field}>
        Write to <Foreign text={label} />
      </label>
      <textarea
        id={field}
        rows={3}
        dir="auto"
        required
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          clientId.current = newId();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit();
        }}
      />
      <div className="write-row">
        <label>
          Mode{" "}
          <select
            value={mode}
            onChange={(event) => setMode(event.target.value === "queue" ? "queue" : "steer")}
          >
            <option value="steer">steer: join the running turn</option>
            <option value="queue">queue: for a later turn</option>
          </select>
        </label>
        <DeedButton type="submit" disabled={send.busy || text.trim() === ""}>
          Send
        </DeedButton>
      </div>
    </form>
  );
}
