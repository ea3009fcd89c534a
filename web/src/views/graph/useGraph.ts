import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { type LogEvent, useFresh } from "../../api/live";
import { isDeletion } from "../../api/stream";
import type { Graph } from "./model";

/** What of a session is drawn in detail. */
export type Asked = { branch: string; opened: readonly number[]; unfolded: readonly number[] };

// What changes what is drawn; most events of a log do not.
const CONCERNS = /^(turn|answer|nodes|call|task|branch|context|session)\./;

/** Whether an event may change the graph of a session. Tasks are told where they run, perhaps elsewhere. */
export function concernsGraph(event: LogEvent, sessionId: string): boolean {
  if (isDeletion(event)) return false;
  const isHere = event.session_id === sessionId || event.kind.startsWith("task.");
  return isHere && (CONCERNS.test(event.kind) || event.kind.startsWith("message."));
}

/** The graph of a session, live. What was drawn stays until what is asked for is there. */
export function useGraph(session: string, asked: Asked) {
  const query = useQuery<Graph>({
    queryKey: KEYS.graph(session, asked),
    queryFn: async ({ signal }) =>
      taken(
        await api.GET("/api/v1/sessions/{session}/graph", {
          params: {
            path: { session },
            query: { branch: asked.branch, opened: [...asked.opened], unfolded: [...asked.unfolded] },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const sessionId = query.data?.session_id ?? "";
  // The details of a node lie below the same key; nothing else of a graph is on the page.
  useFresh(KEYS.graphs, (event) => concernsGraph(event, sessionId));
  return query;
}
