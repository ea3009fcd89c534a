import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, taken } from "./client";
import { KEYS } from "./keys";
import { type LogEvent, useFresh } from "./live";

export type Board = Schemas["Board"];
export type BoardRoot = Schemas["BoardRoot"];
export type BoardAgent = Schemas["BoardAgent"];
export type Doing = Schemas["Activity"];

/** Kinds of events that change nothing on a board. */
const SILENT = new Set([
  "nodes.appended",
  "message.placed",
  "message.delivered",
  "chain.began",
  "bus.opened",
  "bus.read",
  "call.changed",
  "hook.decided",
  "message.masked",
  "todo.changed",
  "goal.changed",
  "goal.reminded",
  "branch.attached",
]);
const LONG_MS = 5_000;

/** Whether an event changes this page of the board. The first page shows whatever is new or moves. */
export function concernsBoard(board: Board | undefined, isFirst: boolean, event: LogEvent): boolean {
  if (SILENT.has(event.kind)) return false;
  if (isFirst || board === undefined) return true;
  return board.roots.some(({ agents }) => agents.some((agent) => agent.session_id === event.session_id));
}

/** One page of conversations with what their agents do. */
export function useBoardPage(before: number | null) {
  const queryKey = KEYS.boardPage(before);
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      const asked = before === null ? {} : { before };
      return taken(await api.GET("/api/v1/board", { params: { query: asked } }));
    },
    // Nothing is told of a wait for a provider, so whoever asks a model for long is looked at again.
    refetchInterval: ({ state }) => (state.data && asksForLong(state.data, Date.now()) ? LONG_MS : false),
  });
  useFresh(queryKey, (event) => concernsBoard(query.data, before === null, event));
  return query;
}

/** One tree with all its agents. */
export function useBoardOf(session: string, isWanted: boolean) {
  const queryKey = KEYS.boardOf(session);
  const query = useQuery({
    queryKey,
    queryFn: async () => taken(await api.GET("/api/v1/board", { params: { query: { session } } })),
    enabled: isWanted,
  });
  useFresh(queryKey, (event) => isWanted && concernsBoard(query.data, false, event));
  return query;
}

function asksForLong(board: Board, nowMs: number): boolean {
  const began = nowMs - LONG_MS;
  return board.roots.some(({ agents }) =>
    agents.some(({ doing }) => doing.kind === "model" && doing.since_us / 1_000 < began),
  );
}
