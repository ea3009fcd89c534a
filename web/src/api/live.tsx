import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from "react";
import { onBarred, PROTOCOL_HEADERS } from "./client";
import { freshener } from "./fresh";
import { Hub, type Standing } from "./hub";
import { heeded, type LiveState, type LogEvent } from "./stream";
import type { LiveText } from "./texts";

export type { LiveState, LogEvent } from "./stream";
export type { LiveText } from "./texts";

const HubContext = createContext<Hub | null>(null);

/** Opens the one stream of the page and keeps it, whatever view is shown. */
export function LiveProvider({ children, hub }: { children: ReactNode; hub?: Hub }) {
  const [own] = useState(() => hub ?? new Hub({ dial: (url) => new EventSource(url), whyNot }));
  useEffect(() => {
    const forget = onBarred((as) => own.bar(as));
    own.start();
    return () => {
      forget();
      own.stop();
    };
  }, [own]);
  return <HubContext value={own}>{children}</HubContext>;
}

/** How the stream stands, and since when. Nothing is drawn anew for an event alone. */
export function useLive(): Standing {
  const hub = useHub();
  return useSyncExternalStore(hub.watch, hub.standing);
}

/** The state alone. */
export function useLiveState(): LiveState {
  return useLive().state;
}

/** Try to reach the daemon at once. */
export function useTryNow(): () => void {
  return useHub().tryNow;
}

/** Be handed the events of the log, each once and in order, also those that are replayed. */
export function useLog(handle: (events: LogEvent[]) => void): void {
  const hub = useHub();
  const newest = useEffectEvent(handle);
  useEffect(() => hub.read((events) => newest(events)), [hub]);
}

/** Be told that events are missing, so that what was put together from them has to be read anew. */
export function useReset(handle: () => void): void {
  const hub = useHub();
  const newest = useEffectEvent(handle);
  useEffect(() => hub.onReset(() => newest()), [hub]);
}

/** Keeps the answers of a query fresh: asks anew when an event concerns it, at most 4 times a second. */
export function useFresh(queryKey: QueryKey, concerns: (event: LogEvent) => boolean): void {
  const hub = useHub();
  const queries = useQueryClient();
  const newest = useEffectEvent(concerns);
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    const fresh = freshener(queries, JSON.parse(key) as QueryKey);
    const forget = [
      hub.read((events) => {
        if (heeded(events).some((event) => newest(event))) fresh.touch();
      }),
      hub.onReset(() => fresh.touch()),
    ];
    return () => {
      for (const one of forget) one();
      fresh.stop();
    };
  }, [hub, queries, key]);
}

/** The answer of an agent as it streams; null while nothing streams, and once it is committed. */
export function useText(branchId: string): LiveText | null {
  const hub = useHub();
  return useSyncExternalStore(hub.watch, () => hub.textOf(branchId));
}

function useHub(): Hub {
  const hub = useContext(HubContext);
  if (hub === null) throw new Error("there is no LiveProvider above");
  return hub;
}

/** An `EventSource` does not tell why it failed; these two endpoints do. */
async function whyNot(): Promise<"logged_out" | "outdated" | null> {
  const status = await Promise.all([statusOf("/api/v1/hello"), statusOf("/api/v1/me")]);
  if (status.includes(426)) return "outdated";
  return status.includes(401) ? "logged_out" : null;
}

async function statusOf(path: string): Promise<number> {
  try {
    return (await fetch(path, { headers: PROTOCOL_HEADERS })).status;
  } catch {
    return 0;
  }
}
