import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { useAsks } from "../api/asks";
import { api, taken } from "../api/client";
import { conversationOf, forgetConversation, useConversation } from "../api/conversation";
import { KEYS } from "../api/keys";
import { type LogEvent, useLog, useReset } from "../api/live";
import { heeded, isDeletion } from "../api/stream";
import { askAlert, endAlert, missed } from "./alerted";
import {
  type Alert,
  addAlert,
  askKey,
  dropAlert,
  dropAlertsOf,
  hear,
  heardUntilUs,
  shownAlerts,
  watchAlerts,
} from "./alerts";
import { notify } from "./notify";
import { viewName } from "./routes";
import { toast } from "./toasts";

const ENDS = 20;
const LOOKED_AT = /^\/(?:agents|sessions|todos)\/([^/]+)/;

/** Draws attention to what needs the person: the title of the page, alerts, system notifications. */
export function Attention() {
  const queries = useQueryClient();
  const [path, go] = useLocation();
  const { data: asks } = useAsks();
  const lookedAt = useConversation(referenceIn(path))?.rootSessionId ?? "";
  // Sessions that agents have made: their ends are nobody's business but the parent's.
  const made = useRef(new Set<string>());

  const open = asks?.length ?? 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}Postroom${path === "/" ? "" : ` · ${viewName(path)}`}`;
  }, [open, path]);

  // Another window may look elsewhere, and raise what is seen in this one.
  const alerts = useSyncExternalStore(watchAlerts, shownAlerts);
  useEffect(() => {
    if (alerts.some(({ rootId }) => rootId === lookedAt)) dropAlertsOf(lookedAt);
  }, [alerts, lookedAt]);

  useCatchUp();

  function raise(alert: Alert, isTold: boolean): void {
    addAlert(alert);
    if (isTold) toast(alert);
  }

  async function asked(event: LogEvent): Promise<void> {
    const found = await conversationOf(queries, event.session_id);
    const alert = askAlert(event, found?.rootSessionId ?? event.session_id);
    notify(alert.title, alert.key, () => go(alert.href));
    if (path !== "/asks" && alert.rootId !== lookedAt) raise(alert, true);
  }

  async function ended(event: LogEvent): Promise<void> {
    if (made.current.has(event.session_id)) return;
    const found = await conversationOf(queries, event.session_id);
    if (found === null || found.rootSessionId !== found.sessionId) return;
    if (found.activeBranchId !== event.branch_id || found.sessionId === lookedAt) return;
    raise(endAlert(event, found.title), lookedAt !== "");
  }

  useLog((events) => {
    for (const event of events) {
      if (event.kind === "session.created" && event.facts?.parent_branch) made.current.add(event.session_id);
      else if (event.kind === "ask.ended") dropAlert(askKey(event.ask_id ?? ""));
      else if (event.kind === "session.titled") {
        void queries.invalidateQueries({ queryKey: KEYS.conversations, refetchType: "all" });
      } else if (isDeletion(event)) {
        forgetConversation(queries, event.session_id);
        dropAlertsOf(event.session_id);
      }
    }
    const rest = heeded(events);
    for (const event of rest) if (event.kind === "ask.opened") void asked(event);
    for (const event of lastEnds(rest)) void ended(event);
    hear(Math.max(...events.map((event) => event.ts_us)));
  });
  return null;
}

/** What has happened while no window was open, or was told by events that are gone, is seen from what there is now. */
function useCatchUp(): void {
  const queries = useQueryClient();
  async function catchUp(): Promise<void> {
    const since = heardUntilUs();
    const roots = { params: { query: { roots: true, limit: ENDS } } };
    const [asks, { sessions }] = await Promise.all([
      api.GET("/api/v1/asks").then(taken),
      api.GET("/api/v1/sessions", roots).then(taken),
    ]);
    const open = new Set(asks.map(({ ask_id }) => askKey(ask_id)));
    for (const { key, sessionId, atUs } of shownAlerts()) {
      if (atUs > (since ?? 0) || open.has(key)) continue;
      if (key.startsWith("ask:") || !(await conversationOf(queries, sessionId))) dropAlert(key);
    }
    if (since !== null) for (const alert of missed(since, asks, sessions)) addAlert(alert);
    hear(Math.max(0, ...sessions.map((one) => one.last_active_us)));
  }
  const begin = useEffectEvent(() => {
    void catchUp().catch(() => undefined); // the views tell of what cannot be had
  });
  useReset(() => begin());
  useEffect(() => begin(), []);
}

/** Of each agent the last end; after a long absence not of all: each may have to be asked for. */
function lastEnds(events: readonly LogEvent[]): LogEvent[] {
  const ends = events.filter(({ kind }) => kind === "turn.ended");
  return [...new Map(ends.map((event) => [event.branch_id, event])).values()].slice(-ENDS);
}

function referenceIn(path: string): string {
  const found = LOOKED_AT.exec(path)?.[1] ?? "";
  try {
    return found === "new" ? "" : decodeURIComponent(found);
  } catch {
    return found;
  }
}
