import { useQuery } from "@tanstack/react-query";
import { api, taken } from "./client";
import { type LogEvent, useFresh } from "./live";

/** Where everything that the person was told is kept. */
export const NOTICES = ["notices"] as const;

/** Whether an event changes what there is to read. */
export function concernsNotices(event: LogEvent): boolean {
  return event.kind === "person.notified" || event.kind === "notice.seen" || event.kind === "session.deleted";
}

/** How much there is that the person has not read; of the daemon's counting, so it stops at a thousand. */
export function useUnseen(): number {
  const key = [...NOTICES, "unseen"];
  useFresh(key, concernsNotices);
  const { data } = useQuery({
    queryKey: key,
    queryFn: async () => taken(await api.GET("/api/v1/notices", { params: { query: { limit: 1 } } })).unseen,
  });
  return data ?? 0;
}
