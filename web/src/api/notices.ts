import { useQuery } from "@tanstack/react-query";
import { api, taken } from "./client";
import { KEYS } from "./keys";
import { type LogEvent, useFresh } from "./live";

/** Whether an event changes what there is to read. */
export function concernsNotices(event: LogEvent): boolean {
  return event.kind === "person.notified" || event.kind === "notice.seen" || event.kind === "session.deleted";
}

/** How much there is that the person has not read; of the daemon's counting, so it stops at a thousand. */
export function useUnseen(): number {
  useFresh(KEYS.unseen, concernsNotices);
  const { data } = useQuery({
    queryKey: KEYS.unseen,
    queryFn: async () => taken(await api.GET("/api/v1/notices", { params: { query: { limit: 1 } } })).unseen,
  });
  return data ?? 0;
}
