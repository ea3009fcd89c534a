import type { LogEvent } from "./stream";

/** An event as the daemon would send it; only what a test speaks of has to be given. */
export function event(pos: number, kind: string, more: Partial<LogEvent> = {}): LogEvent {
  return {
    pos,
    seq: pos,
    kind,
    session_id: "s1",
    agent: "ann",
    ts_us: pos,
    actor: "runtime",
    visibility: "agent",
    branch_id: "b1",
    to: "",
    message_id: "",
    ask_id: "",
    facts: {},
    ...more,
  };
}
