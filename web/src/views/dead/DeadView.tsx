import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { More } from "../rows/More";
import { onRowKeys } from "../rows/rowKeys";
import { DeadRow } from "./DeadRow";
import { SHOWN, shownLetters } from "./reasons";
import "../rows/rows.css";

const ENDS = new Set([
  "message.discarded",
  "message.undelivered",
  "message.accepted",
  "session.deleted",
  "session.pruned",
]);

/** Mail that ended unread: set aside after too many attempts, out of date, dropped, denied, never delivered. */
export default function DeadView() {
  const [params, setParams] = useSearchParams();
  const shown = SHOWN.find((one) => one === params.get("show")) ?? "all";
  const queries = useQueryClient();
  useFresh(KEYS.deadLetters, (event) => ENDS.has(event.kind));
  const dead = useInfiniteQuery({
    queryKey: KEYS.deadLetters,
    queryFn: async ({ pageParam, signal }) =>
      taken(await api.GET("/api/v1/dead-letters", { params: { query: pageParam }, signal })),
    initialPageParam: {} as { before?: number },
    getNextPageParam: (page: Schemas["DeadLetterPage"]) =>
      page.next === null ? undefined : { before: page.next },
  });
  const letters = useMemo(
    () => shownLetters(dead.data?.pages.flatMap((page) => page.letters) ?? [], shown),
    [dead.data, shown],
  );
  return (
    <>
      <div className="rows-head">
        <h1>Dead letters</h1>
      </div>
      <search className="rows-filters">
        <label>
          Why it ended
          <select
            value={shown}
            onChange={(event) =>
              setParams(event.target.value === "all" ? {} : { show: event.target.value }, { replace: true })
            }
          >
            {SHOWN.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </search>
      {dead.isPending && <Loading what="Loading dead letters" />}
      {dead.isError && <Failure error={dead.error} />}
      {dead.data && letters.length === 0 && <Empty>No mail has ended unread in this way.</Empty>}
      <ol className="rows-list" aria-label="Dead letters, newest first" onKeyDown={onRowKeys}>
        {letters.map((letter) => (
          <DeadRow
            key={`${letter.message_id} ${letter.recipient_address}`}
            letter={letter}
            onChanged={() => void queries.invalidateQueries({ queryKey: KEYS.deadLetters })}
          />
        ))}
      </ol>
      {dead.data && (dead.hasNextPage || letters.length > 0) && (
        <More
          hasMore={dead.hasNextPage}
          isBusy={dead.isFetchingNextPage}
          onMore={() => void dead.fetchNextPage()}
          what="dead letters"
        />
      )}
    </>
  );
}
