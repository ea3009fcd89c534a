import { type QueryKey, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { api, taken } from "../../api/client";
import { type Freshener, freshener } from "../../api/fresh";
import { KEYS } from "../../api/keys";
import { type LogEvent, useLog, useReset } from "../../api/live";
import { heeded } from "../../api/stream";
import { useDeed } from "../../shell/useDeed";
import { type Heading, isUnsettled, type Page, type Row } from "./model";
import { BEGINNING, type Cuts, concernsOf, cutFor, queryOf, rowsOf, split } from "./segments";

const PAGE = 60;

/** A conversation as far as it is held, live. */
export type Transcript = {
  heading: Heading | undefined;
  rows: readonly Row[];
  error: unknown;
  /** Whether something lies in front of what is held. */
  hasOlder: boolean;
  loadOlder: () => void;
  isLoadingOlder: boolean;
};

type Query = { before?: number; after?: number; limit?: number };

async function read(agent: string, query: Query, signal?: AbortSignal): Promise<Page> {
  const params = { path: { agent }, query };
  return taken(await api.GET("/api/v1/agents/{agent}/transcript", { params, ...(signal ? { signal } : {}) }));
}

const partKey = (agent: string, cuts: Cuts, nth: number): QueryKey =>
  KEYS.transcriptPart(agent, queryOf(cuts, nth));

/** The conversation of an agent: its newest items first, older ones on demand, each kept as it now is. */
export function useTranscript(agent: string): Transcript {
  const queries = useQueryClient();
  const [cuts, setCuts] = useState<Cuts>([]);
  const first = useQuery({
    queryKey: KEYS.transcriptFirst(agent),
    queryFn: ({ signal }) => read(agent, { limit: PAGE }, signal),
    enabled: cuts.length === 0,
    gcTime: 0,
    staleTime: 0,
  });
  const doubtful = useRef<QueryKey[]>([]);
  const missed = useRef(false);
  useLog(() => {
    if (cuts.length === 0) missed.current = true;
  });

  useEffect(() => {
    if (cuts.length > 0 || !first.data || first.isFetching) return;
    const begin: Cuts = [first.data.older ?? BEGINNING];
    const key = partKey(agent, begin, 0);
    queries.setQueryData(key, first.data);
    if (missed.current) doubtful.current.push(key);
    missed.current = false;
    setCuts(begin);
  }, [cuts, first.data, first.isFetching, queries, agent]);

  // Events that came while a stretch was fetched or cut have touched another one: it is asked once more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the stretches are others
  useEffect(() => {
    for (const queryKey of doubtful.current.splice(0)) void queries.invalidateQueries({ queryKey });
  }, [cuts, queries]);

  const pages = useQueries({
    queries: cuts.map((_, nth) => ({
      queryKey: partKey(agent, cuts, nth),
      queryFn: ({ signal }: { signal: AbortSignal }) => read(agent, queryOf(cuts, nth), signal),
    })),
    combine: (results) => ({
      data: results.map((one) => one.data),
      error: results.find((one) => one.error)?.error ?? null,
    }),
  });
  const newest = pages.data.at(-1) ?? first.data;
  const rows = useMemo(
    () => rowsOf(cuts.length > 0 ? pages.data : [first.data]),
    [cuts, pages.data, first.data],
  );
  const last = useRef<Heading | undefined>(undefined);
  last.current = newest?.agent ?? last.current;

  // A long open stretch is cut in two, so that what is read anew stays short.
  useEffect(() => {
    const open = pages.data.at(-1);
    const cut = open && cutFor(open.rows);
    if (!open || !cut || cut <= (cuts.at(-1) ?? 0)) return;
    const next: Cuts = [...cuts, cut];
    const [closed, rest] = split(open, cut);
    const keys = [partKey(agent, next, next.length - 2), partKey(agent, next, next.length - 1)] as const;
    queries.setQueryData(keys[0], closed);
    queries.setQueryData(keys[1], rest);
    doubtful.current.push(...keys);
    setCuts(next);
  }, [pages.data, cuts, queries, agent]);

  useKeptFresh(agent, cuts, pages.data, last.current, () => {
    queries.removeQueries({ queryKey: KEYS.transcriptParts(agent) });
    void queries.invalidateQueries({ queryKey: KEYS.transcriptFirst(agent) });
    setCuts([]);
  });

  const front = cuts[0] ?? BEGINNING;
  const older = useDeed(async () => {
    const page = await read(agent, { before: front, limit: PAGE });
    const next: Cuts = [page.older ?? BEGINNING, ...cuts];
    const key = partKey(agent, next, 0);
    queries.setQueryData(key, page);
    if (page.rows.some(isUnsettled)) doubtful.current.push(key);
    setCuts((now) => (now[0] === front ? [page.older ?? BEGINNING, ...now] : now));
  });

  return {
    heading: last.current,
    rows,
    error: first.error ?? pages.error,
    hasOlder: front > BEGINNING,
    loadOlder: () => void older.run(),
    isLoadingOlder: older.busy,
  };
}

/** Asks the stretches anew that an event concerns; after a revert, a pruning or a gap everything begins again. */
function useKeptFresh(
  agent: string,
  cuts: Cuts,
  pages: readonly (Page | undefined)[],
  heading: Heading | undefined,
  begin: () => void,
): void {
  const queries = useQueryClient();
  const fresh = useRef(new Map<string, Freshener>());
  const touch = (nth: number) => {
    const queryKey = partKey(agent, cuts, nth);
    const name = JSON.stringify(queryKey);
    const known = fresh.current.get(name) ?? freshener(queries, queryKey);
    fresh.current.set(name, known);
    known.touch();
  };
  const { branch_id: branchId = "", session_id: sessionId = "" } = heading ?? {};
  const concerns = useMemo(
    () => cuts.map((_, nth) => concernsOf(branchId, pages[nth]?.rows ?? [], nth === cuts.length - 1)),
    [branchId, cuts, pages],
  );
  const isOther = (event: LogEvent) =>
    (event.kind === "branch.reverted" && event.branch_id === branchId) ||
    (event.kind === "session.pruned" && event.session_id === sessionId);
  useLog((all: LogEvent[]) => {
    const events = heeded(all);
    if (events.some(isOther)) begin();
    else for (const [nth, one] of concerns.entries()) if (events.some(one)) touch(nth);
  });
  useReset(begin);
  useEffect(() => {
    const all = fresh.current;
    return () => {
      for (const one of all.values()) one.stop();
      all.clear();
    };
  }, []);
}
