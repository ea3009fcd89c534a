import { useState } from "react";
import { api, type Schemas, taken } from "../../../api/client";
import { Foreign } from "../../../shell/Foreign";
import { plain } from "../../../shell/plain";
import { StateBadge } from "../../../shell/StateBadge";
import { shown } from "../../../shell/shown";
import { useDeed } from "../../../shell/useDeed";
import { durationText } from "../../rows/duration";
import { Frame } from "./Frame";

type Call = Schemas["CallView"];

/** The calls of one answer, a line each. What was asked and what came of it opens by click or key. */
export function CallsView({ calls }: { calls: readonly Call[] }) {
  return (
    <Frame
      words="agent"
      what={calls.length === 1 ? "called a tool" : `called ${calls.length} tools together`}
    >
      <ul className="transcript-calls">
        {calls.map((call) => (
          <li key={call.call_id}>
            <OneCall call={call} />
          </li>
        ))}
      </ul>
    </Frame>
  );
}

function OneCall({ call }: { call: Call }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>
          <Foreign text={call.tool} />
        </code>{" "}
        <CallState call={call} />
        {call.ended_us !== null && (
          <span className="transcript-muted"> {durationText(call.ended_us - call.started_us)}</span>
        )}
        {!isOpen && (
          <span className="transcript-muted transcript-brief" dir="auto">
            {" "}
            {shown(call.arguments.slice(0, 160))}
          </span>
        )}
      </summary>
      {isOpen && <CallParts call={call} />}
    </details>
  );
}

function CallState({ call }: { call: Call }) {
  if (call.state !== "ended") return <StateBadge state={call.state === "open" ? "running" : "suspended"} />;
  if (call.code) return <StateBadge state={`refused: ${plain(call.code)}`} />;
  if (call.ended_by !== "tool") return <StateBadge state={plain(call.ended_by)} />;
  return <StateBadge state={call.is_error ? "failed" : "finished"} />;
}

function CallParts({ call }: { call: Call }) {
  const [whole, setWhole] = useState<Call | null>(null);
  const fetching = useDeed(async () => {
    setWhole(taken(await api.GET("/api/v1/calls/{call}", { params: { path: { call: call.call_id } } })));
  });
  const known = whole ?? call;
  const missing = known.arguments_missing_chars + known.changed_missing_chars + known.result_missing_chars;
  return (
    <div className="transcript-call">
      <Part name="Arguments" text={known.arguments} />
      {known.changed_by && (
        <Part name={`Changed by the hook ${known.changed_by}`} text={known.changed_arguments} />
      )}
      {known.hooks.map((one) => (
        <p key={`${one.hook} ${one.verdict}`}>
          Hook <Foreign text={one.hook} />: {plain(one.verdict)} {one.code && <code>{one.code}</code>}
        </p>
      ))}
      {known.asks.map((one) => (
        <p key={one.ask_id}>
          {one.ask_kind === "question" ? "Question to you" : "Leave asked of you"}:{" "}
          <StateBadge state={one.state} />
          {one.decided_by && ` by ${plain(one.decided_by)}`}
          {one.scope && ` (${plain(one.scope)})`}
        </p>
      ))}
      {known.state === "ended" && <Part name="Result" text={known.result || "(no output)"} />}
      {known.images > 0 && <p>{known.images} pictures</p>}
      {missing > 0 && (
        <p>
          {missing.toLocaleString("en")} more characters{" "}
          <button type="button" onClick={() => void fetching.run()} disabled={fetching.busy}>
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

function Part({ name, text }: { name: string; text: string }) {
  return (
    <>
      <h3>{name}</h3>
      <pre className="transcript-plain" dir="auto">
        {shown(text)}
      </pre>
    </>
  );
}
