import { keep, kept } from "./kept";
import { putAwayKey, type Toast } from "./toasts";

/** Something that happened in a conversation that was not looked at. */
export type Alert = Omit<Toast, "id"> & {
  readonly key: string;
  readonly atUs: number;
  readonly sessionId: string;
  /** The conversation of the person that it is of. */
  readonly rootId: string;
  readonly href: string;
};

/** What is kept: the alerts, and until when what happens has been heard; null before the first time. */
type Told = { readonly alerts: readonly Alert[]; readonly untilUs: number | null };

const KEPT_AS = "postroom.alerts";
const KEPT = 50;
const SAVE_MS = 2_000;
let told = stored() ?? { alerts: [], untilUs: null };
let savedMs = 0;
const watchers = new Set<() => void>();

/** The alerts that the person has not put away, newest first; in every window of the page the same. */
export const shownAlerts = (): readonly Alert[] => told.alerts;

/** Until when what happens has been heard, by any window. */
export const heardUntilUs = (): number | null => told.untilUs;

/** Be told when the alerts change, here or in another window. */
export function watchAlerts(tell: () => void): () => void {
  if (watchers.size === 0) {
    window.addEventListener("storage", elsewhere);
    window.addEventListener("pagehide", save);
  }
  watchers.add(tell);
  return () => {
    watchers.delete(tell);
    if (watchers.size > 0) return;
    window.removeEventListener("storage", elsewhere);
    window.removeEventListener("pagehide", save);
  };
}

/** What has happened until then has been heard; alerts of it are there, or nobody needs one. */
export function hear(untilUs: number): void {
  told = { ...told, untilUs: Math.max(untilUs, told.untilUs ?? 0) };
  if (performance.now() - savedMs > SAVE_MS) save();
}

/** One more; of the same thing only the newest is kept. */
export function addAlert(alert: Alert): void {
  change((alerts) => [alert, ...alerts.filter((one) => one.key !== alert.key)].slice(0, KEPT));
}

/** It is over, or the person has seen it. */
export function dropAlert(key: string): void {
  dropWhere((one) => one.key === key);
  putAwayKey(key);
}

/** The session that they tell of is gone, or the person looks at the conversation. */
export function dropAlertsOf(sessionId: string): void {
  dropWhere(({ sessionId: own, rootId }) => own === sessionId || rootId === sessionId);
}

/** The person has seen them all. */
export function dropAlerts(): void {
  dropWhere(() => true);
}

/** What an ask's alert is known by. */
export const askKey = (askId: string): string => `ask:${askId}`;

function dropWhere(isOver: (alert: Alert) => boolean): void {
  const over = told.alerts.filter(isOver);
  for (const { key } of over) putAwayKey(key);
  if (over.length > 0) change((alerts) => alerts.filter((one) => !isOver(one)));
}

function change(next: (alerts: readonly Alert[]) => readonly Alert[]): void {
  // Another window may have changed them in the meantime.
  told = { ...told, alerts: next(stored()?.alerts ?? told.alerts) };
  save();
  for (const tell of watchers) tell();
}

function elsewhere({ key }: StorageEvent): void {
  const now = key === KEPT_AS ? stored() : null;
  if (now === null) return;
  const left = new Set(now.alerts.map((one) => one.key));
  for (const one of told.alerts) if (!left.has(one.key)) putAwayKey(one.key);
  told = { alerts: now.alerts, untilUs: Math.max(now.untilUs ?? 0, told.untilUs ?? 0) };
  for (const tell of watchers) tell();
}

function save(): void {
  savedMs = performance.now();
  keep(KEPT_AS, JSON.stringify(told));
}

function stored(): Told | null {
  try {
    const found: unknown = JSON.parse(kept(KEPT_AS) ?? "null");
    return isTold(found) ? found : null;
  } catch {
    return null;
  }
}

function isTold(found: unknown): found is Told {
  return typeof found === "object" && found !== null && "alerts" in found && Array.isArray(found.alerts);
}
