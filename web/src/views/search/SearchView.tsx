import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useSearchParams } from "wouter";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { onRowKeys } from "../rows/rowKeys";
import { HitRow } from "./HitRow";
import "../rows/rows.css";
import "./search.css";

const LIMITS = [20, 100, 500] as const;

/** Search in mail, answers and results of tools. What is searched for stands in the address. */
export default function SearchView() {
  const [params, setParams] = useSearchParams();
  const words = params.get("words") ?? "";
  const session = params.get("session") ?? "";

  function onSearch(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const next = new URLSearchParams();
    for (const field of ["words", "session"]) {
      const text = String(given.get(field) ?? "").trim();
      if (text) next.set(field, text);
    }
    setParams(next);
  }

  return (
    <>
      <div className="rows-head">
        <h1>Search</h1>
      </div>
      <search>
        <form className="rows-filters" onSubmit={onSearch} key={params.toString()}>
          <label className="search-words">
            Words
            <input
              type="search"
              name="words"
              defaultValue={words}
              aria-describedby="search-how"
              maxLength={1000}
            />
          </label>
          <label>
            Session
            <input name="session" defaultValue={session} placeholder="all" size={16} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      <p id="search-how" className="rows-muted">
        All words must be in one text. "Two words" in quotes stand next to each other; begin* finds every word
        that begins so.
      </p>
      {words && <Hits key={`${words}\n${session}`} words={words} session={session} />}
    </>
  );
}

function Hits({ words, session }: { words: string; session: string }) {
  const [params, setParams] = useSearchParams();
  const limit = LIMITS.find((one) => one >= Number(params.get("limit") ?? 0)) ?? LIMITS[2];
  const more = LIMITS.find((one) => one > limit);
  const hits = useQuery({
    queryKey: KEYS.search(words, session, limit),
    queryFn: async ({ signal }) => {
      const query = { words, limit, ...(session && { session }) };
      return taken(await api.GET("/api/v1/search", { params: { query }, signal }));
    },
    staleTime: 0, // a search is of what there is when it is made
    placeholderData: (before) => before,
  });
  if (hits.isPending) return <Loading what="Searching" />;
  if (hits.isError) return <Failure error={hits.error} />;
  return (
    <>
      <p role="status">
        {hits.data.length} {hits.data.length === 1 ? "text" : "texts"}
        {hits.data.length === limit && ", the best of more"}
      </p>
      {hits.data.length === 0 && <Empty>No text holds all of these words.</Empty>}
      <ol className="rows-list" aria-label="Texts, best first" onKeyDown={onRowKeys}>
        {hits.data.map((hit) => (
          <HitRow key={`${hit.where} ${hit.id} ${hit.agent} ${hit.excerpt}`} hit={hit} searched={words} />
        ))}
      </ol>
      {more !== undefined && hits.data.length === limit && (
        <p className="rows-more">
          <button
            type="button"
            onClick={() =>
              setParams((had) => {
                had.set("limit", String(more));
                return had;
              })
            }
          >
            More texts
          </button>
        </p>
      )}
    </>
  );
}
