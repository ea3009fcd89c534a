import "./badge.css";

type Look = { tone: "good" | "warn" | "bad" | "calm"; sign: string };

const LOOKS: { [state: string]: Look } = {
  running: { tone: "good", sign: "▶" },
  model: { tone: "good", sign: "▶" },
  tool: { tone: "good", sign: "▶" },
  waiting: { tone: "warn", sign: "…" },
  slot: { tone: "warn", sign: "…" },
  suspended: { tone: "warn", sign: "◔" },
  wait: { tone: "warn", sign: "◔" },
  ask: { tone: "warn", sign: "?" },
  question: { tone: "warn", sign: "?" },
  held: { tone: "warn", sign: "◔" },
  pending: { tone: "warn", sign: "…" },
  queued: { tone: "warn", sign: "…" },
  paused: { tone: "warn", sign: "‖" },
  accepted: { tone: "calm", sign: "✉" },
  claimed: { tone: "good", sign: "✉" },
  consumed: { tone: "good", sign: "✓" },
  finished: { tone: "good", sign: "✓" },
  completed: { tone: "good", sign: "✓" },
  succeeded: { tone: "good", sign: "✓" },
  failed: { tone: "bad", sign: "✕" },
  errored: { tone: "bad", sign: "✕" },
  interrupted: { tone: "bad", sign: "✕" },
  undelivered: { tone: "bad", sign: "✕" },
  stopped: { tone: "warn", sign: "■" },
  cancelled: { tone: "warn", sign: "■" },
  discarded: { tone: "warn", sign: "■" },
  parked: { tone: "warn", sign: "‖" },
  posted: { tone: "calm", sign: "✉" },
  ok: { tone: "good", sign: "✓" },
  approved: { tone: "good", sign: "✓" },
  answered: { tone: "good", sign: "✓" },
  denied: { tone: "bad", sign: "✕" },
  error: { tone: "bad", sign: "✕" },
  expired: { tone: "warn", sign: "■" },
};
const CALM: Look = { tone: "calm", sign: "·" };

/** The state of an agent, turn, task or delivery: in words, and with a sign, so that colour alone says nothing. */
export function StateBadge({ state }: { state: string }) {
  const { tone, sign } = LOOKS[state] ?? CALM;
  return (
    <span className={`badge badge-${tone}`}>
      <span aria-hidden="true">{sign} </span>
      {state}
    </span>
  );
}
