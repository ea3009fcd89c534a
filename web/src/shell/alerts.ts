import type { LogEvent } from "../api/live";
import { toAgent } from "./links";
import { putAwayKey, type Toast } from "./toasts";

/** Something that happened in a conversation that was not looked at. */
export type Alert = Omit<Toast, "id"> & {
  readonly key: string;
  readonly atUs: number;
  readonly sessionId: string;
  readonly href: string;
};

const KEPT = 50;
let alerts: readonly Alert[] = [];
const told = new Set<() => void>();

/** The alerts that the person has not put away, newest first. */
export const shownAlerts = (): readonly Alert[] => alerts;

/** Be told when they change. */
export function watchAlerts(tell: () => void): () => void {
  told.add(tell);
  return () => {
    told.delete(tell);
  };
}

/** One more; of the same thing only the newest is kept. */
export function addAlert(alert: Alert): void {
  changed([alert, ...alerts.filter((one) => one.key !== alert.key)].slice(0, KEPT));
}

/** It is over, or the person has seen it. */
export function dropAlert(key: string): void {
  putAwayKey(key);
  if (alerts.some((one) => one.key === key)) changed(alerts.filter((one) => one.key !== key));
}

/** The session that they tell of is gone. */
export function dropAlertsOf(sessionId: string): void {
  for (const { key } of alerts.filter((one) => one.sessionId === sessionId)) dropAlert(key);
}

/** The person has seen them all. */
export function dropAlerts(): void {
  changed([]);
}

/** That an agent asks the person something. */
export function askAlert(event: LogEvent): Alert {
  const isQuestion = event.facts?.kind === "question";
  return {
    key: askKey(event.ask_id ?? ""),
    atUs: event.ts_us,
    sessionId: event.session_id,
    tone: "warn",
    title: isQuestion ? `${event.agent} has a question` : `${event.agent} asks for leave`,
    text: "",
    href: "/asks",
  };
}

/** That a turn of a conversation of the person has ended. */
export function endAlert(event: LogEvent, title: string): Alert {
  const state = String(event.facts?.state ?? "ended");
  const reason = String(event.facts?.end_reason ?? "");
  return {
    key: `end:${event.branch_id}`,
    atUs: event.ts_us,
    sessionId: event.session_id,
    tone: state === "finished" ? "calm" : "bad",
    title: `${event.agent}: ${state}`,
    text: [title, state === "finished" ? "" : reason].filter(Boolean).join("\n"),
    href: toAgent(event.branch_id || event.session_id),
  };
}

/** What an ask's alert is known by. */
export const askKey = (askId: string): string => `ask:${askId}`;

function changed(next: readonly Alert[]): void {
  alerts = next;
  for (const tell of told) tell();
}
