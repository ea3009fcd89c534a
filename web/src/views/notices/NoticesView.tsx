import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { concernsNotices } from "../../api/notices";
import { AgentName } from "../../shell/AgentName";
import { Ago } from "../../shell/Ago";
import { DeedButton } from "../../shell/DeedButton";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { shown } from "../../shell/shown";
import { useDeed } from "../../shell/useDeed";
import "./notices.css";

type Notice = Schemas["NoticeView"];

/** What the person was told: first what nobody has read, then the rest. */
export default function NoticesView() {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useNotices();
  const see = useSee();
  if (isPending) return <Loading />;
  const notices = data?.pages.flatMap((page) => page.notices) ?? [];
  const unseen = notices.filter((one) => one.seen_us === null);
  return (
    <>
      <h1>Notices</h1>
      {error && <Failure error={error} />}
      {notices.length === 0 && !error && <Empty>There is nothing to read.</Empty>}
      {unseen.length > 1 && (
        <p>
          <DeedButton disabled={see.busy} onClick={() => void see.run(unseen)}>
            Mark all {unseen.length} shown as read
          </DeedButton>
        </p>
      )}
      <ul className="notices" aria-label="Notices">
        {notices.map((notice) => (
          <NoticeItem key={notice.notice} notice={notice} onSee={() => void see.run([notice])} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older notices
        </button>
      )}
    </>
  );
}

function NoticeItem({ notice, onSee }: { notice: Notice; onSee: () => void }) {
  const isNew = notice.seen_us === null;
  return (
    <li className={`note ${isNew ? "note-warn" : ""}`}>
      <p className="notices-head">
        {isNew && <strong>new </strong>}
        <code>{notice.code}</code> <AgentName label={notice.agent} address={notice.session_id} />{" "}
        <span className="notices-quiet">
          <Ago us={notice.created_us} /> ago
        </span>
      </p>
      <p className="notices-text" dir="auto">
        {shown(notice.text)}
      </p>
      {isNew && (
        <DeedButton aria-label={`Mark as read: ${notice.text.slice(0, 80)}`} onClick={onSee}>
          Mark as read
        </DeedButton>
      )}
    </li>
  );
}

function useNotices() {
  useFresh(KEYS.noticeList, concernsNotices);
  return useInfiniteQuery({
    queryKey: KEYS.noticeList,
    queryFn: async ({ pageParam }) => {
      const query = pageParam === null ? {} : { before: pageParam };
      return taken(await api.GET("/api/v1/notices", { params: { query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

function useSee() {
  const queries = useQueryClient();
  return useDeed(async (notices: readonly Notice[]) => {
    const body = { notices: notices.map((one) => one.notice) };
    taken(await api.POST("/api/v1/notices/seen", { body }));
    await queries.invalidateQueries({ queryKey: KEYS.notices });
  });
}
