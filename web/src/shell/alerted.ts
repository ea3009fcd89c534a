import type { Ask } from "../api/asks";
import type { Schemas } from "../api/client";
import type { LogEvent } from "../api/live";
import { type Alert, askKey } from "./alerts";
import { toAgent } from "./links";

type Session = Schemas["SessionView"];

const ENDED = new Set(["finished", "failed", "interrupted", "cancelled", "stopped"]);

/** That an agent asks the person something, by what the log says of it. */
export function askAlert(event: LogEvent, rootId: string): Alert {
  const isQuestion = event.facts?.kind === "question";
  return asking(event.ask_id ?? "", event.agent, isQuestion, event.session_id, rootId, event.ts_us);
}

/** That a turn of a conversation of the person has ended, by what the log says of it. */
export function endAlert(event: LogEvent, title: string): Alert {
  const state = String(event.facts?.state ?? "ended");
  const reason = state === "finished" ? "" : String(event.facts?.end_reason ?? "");
  const text = [title, reason].filter(Boolean).join("\n");
  return ending(event.agent, state, text, event.branch_id, event.session_id, event.ts_us);
}

/** What has come since then and nobody has been told of, by what is open and over now. */
export function missed(sinceUs: number, asks: readonly Ask[], sessions: readonly Session[]): Alert[] {
  const asked = asks
    .filter((ask) => ask.requested_us > sinceUs)
    .map((ask) => {
      const name = ask.agent === ask.session_id ? ask.profile : ask.agent;
      const { ask_id, kind, session_id, root_session_id, requested_us } = ask;
      return asking(ask_id, name, kind === "question", session_id, root_session_id, requested_us);
    });
  const ended = sessions
    .filter((one) => one.last_active_us > sinceUs && ENDED.has(one.state))
    .map((one) => {
      const { state, title, active_branch_id, session_id, last_active_us } = one;
      return ending(one.handle || one.profile, state, title, active_branch_id, session_id, last_active_us);
    });
  return [...asked, ...ended].sort((one, other) => one.atUs - other.atUs);
}

function asking(
  askId: string,
  agent: string,
  isQuestion: boolean,
  sessionId: string,
  rootId: string,
  atUs: number,
): Alert {
  const title = isQuestion ? `${agent} has a question` : `${agent} asks for leave`;
  return { key: askKey(askId), atUs, sessionId, rootId, tone: "warn", title, text: "", href: "/asks" };
}

function ending(
  agent: string,
  state: string,
  text: string,
  branchId: string,
  sessionId: string,
  atUs: number,
): Alert {
  return {
    key: `end:${branchId}`,
    atUs,
    sessionId,
    rootId: sessionId,
    tone: state === "finished" ? "calm" : "bad",
    title: `${agent}: ${state}`,
    text,
    href: toAgent(branchId || sessionId),
  };
}
