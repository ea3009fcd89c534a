import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { type LogEvent, useFresh } from "../../api/live";
import { type MailFilters, queryOf } from "./filters";

const CONCERNS = /^(message|bus|task)\.|^session\.(deleted|pruned)$|^branch\.named$/;

/** Whether an event changes what a message is or how it stands. */
export function concernsMail(event: LogEvent): boolean {
  return CONCERNS.test(event.kind);
}

/** The mail that the filters let through: newest first, live, with older pages on demand. */
export function useMail(filters: MailFilters) {
  const key = KEYS.mail(filters);
  useFresh(key, concernsMail);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) =>
      taken(
        await api.GET("/api/v1/messages", {
          params: { query: { ...queryOf(filters), ...pageParam } },
          signal,
        }),
      ),
    initialPageParam: {} as { before?: number },
    getNextPageParam: (page: Schemas["MailPage"]) => (page.next === null ? undefined : { before: page.next }),
  });
  const pages = query.data?.pages;
  const entries = useMemo(() => pages?.flatMap((page) => page.messages) ?? [], [pages]);
  return { ...query, entries };
}
