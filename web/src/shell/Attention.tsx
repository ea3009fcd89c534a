import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useAsks } from "../api/asks";
import { conversationOf, forgetConversation, useConversation } from "../api/conversation";
import { type LogEvent, useLog } from "../api/live";
import { heeded, isDeletion } from "../api/stream";
import { type Alert, addAlert, askAlert, askKey, dropAlert, dropAlertsOf, endAlert } from "./alerts";
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

  function raise(alert: Alert, isTold: boolean): void {
    addAlert(alert);
    if (isTold) toast(alert);
  }

  async function asked(event: LogEvent): Promise<void> {
    const alert = askAlert(event);
    notify(alert.title, alert.key, () => go(alert.href));
    if (path === "/asks") return;
    const found = await conversationOf(queries, event.session_id);
    if (found === null || found.rootSessionId !== lookedAt) raise(alert, true);
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
      else if (isDeletion(event)) {
        forgetConversation(queries, event.session_id);
        dropAlertsOf(event.session_id);
      }
    }
    const rest = heeded(events);
    for (const event of rest) if (event.kind === "ask.opened") void asked(event);
    for (const event of lastEnds(rest)) void ended(event);
  });
  return null;
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
