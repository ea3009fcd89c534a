import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useSearchParams } from "wouter";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { onRowKeys } from "../rows/rowKeys";
import { SHOWN, shownTasks } from "./filters";
import { TaskRow } from "./TaskRow";
import "../rows/rows.css";

const CONCERNS = /^task\.|^session\.(deleted|pruned)$|^branch\.named$/;
const LIMIT = 100;
const LIMIT_MAX = 500;

/** The work that agents have given each other: by whom, to whom, and what came of it. */
export default function TasksView() {
  const [params, setParams] = useSearchParams();
  const session = params.get("session") ?? "";
  const shown = SHOWN.find((one) => one === params.get("show")) ?? "all";
  const limit = params.get("limit") === String(LIMIT_MAX) ? LIMIT_MAX : LIMIT;

  const set = (field: string, value: string) =>
    setParams((had) => {
      if (value) had.set(field, value);
      else had.delete(field);
      return had;
    });

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    set("session", String(new FormData(event.currentTarget).get("session") ?? "").trim());
  }

  const key = KEYS.tasks(session, limit);
  useFresh(key, (event) => CONCERNS.test(event.kind));
  const tasks = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const query = { limit, ...(session && { session }) };
      return taken(await api.GET("/api/v1/tasks", { params: { query }, signal }));
    },
  });
  const rows = shownTasks(tasks.data ?? [], shown);
  return (
    <>
      <div className="rows-head">
        <h1>Tasks</h1>
      </div>
      <search>
        <form className="rows-filters" onSubmit={onSubmit} key={session}>
          <label>
            Session or agent
            <input name="session" defaultValue={session} placeholder="all" size={20} />
          </label>
          <label>
            State
            <select value={shown} onChange={(event) => set("show", event.target.value)}>
              {SHOWN.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      {tasks.isPending && <Loading what="Loading tasks" />}
      {tasks.isError && <Failure error={tasks.error} />}
      {tasks.data && rows.length === 0 && <Empty>There is no such task.</Empty>}
      <ol className="rows-list" aria-label="Tasks, newest first" onKeyDown={onRowKeys}>
        {rows.map((task) => (
          <TaskRow key={task.task_id} task={task} />
        ))}
      </ol>
      {tasks.data?.length === limit && limit < LIMIT_MAX && (
        <p className="rows-more">
          <button type="button" onClick={() => set("limit", String(LIMIT_MAX))}>
            Older tasks
          </button>
        </p>
      )}
    </>
  );
}
