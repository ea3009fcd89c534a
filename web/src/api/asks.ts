import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, taken } from "./client";
import { KEYS } from "./keys";
import { type LogEvent, useFresh } from "./live";

export type Ask = Schemas["AskView"];

const CONCERNS = new Set(["ask.opened", "ask.ended", "session.deleted", "branch.named"]);

/** What all agents ask the person now, oldest first. It is exactly what the daemon has, also after a reconnect. */
export function useAsks() {
  useFresh(KEYS.asks, (event: LogEvent) => CONCERNS.has(event.kind));
  return useQuery({ queryKey: KEYS.asks, queryFn: async () => taken(await api.GET("/api/v1/asks")) });
}
