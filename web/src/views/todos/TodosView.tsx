import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, taken } from "../../api/client";
import { useConversation } from "../../api/conversation";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { ConversationName } from "../../shell/ConversationName";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";
import { useParam } from "../../shell/links";
import "../rows/rows.css";
import "./todos.css";
import { shown } from "../../shell/shown";

type Todo = Schemas["TodoView"];

const COLUMNS = [
  ["in_progress", "In progress"],
  ["pending", "To do"],
  ["completed", "Done"],
] as const;

/** The board of a session: what its agents have written down to be done. */
export default function TodosView() {
  const session = useParam("session");
  const key = KEYS.todos(session);
  const board = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/todos", { params: { query: { session } }, signal })),
  });
  useFresh(key, (event) => event.kind === "todo.changed");
  const title = useConversation(session)?.title ?? "";
  const todos = board.data?.todos ?? [];
  return (
    <>
      <div className="rows-head">
        <h1>To do</h1>
        <ConversationName title={title} reference={session} />
      </div>
      {board.isPending && <Loading what="Loading the board" />}
      {board.isError && <Failure error={board.error} />}
      {board.data && todos.length === 0 && (
        <Empty>The agents of this session have written nothing down.</Empty>
      )}
      {todos.length > 0 && (
        <div className="todos-board">
          {COLUMNS.map(([status, name]) => (
            <Column
              key={status}
              name={name}
              todos={todos.filter((todo) => todo.status === status)}
              all={todos}
            />
          ))}
        </div>
      )}
    </>
  );
}

function Column({ name, todos, all }: { name: string; todos: readonly Todo[]; all: readonly Todo[] }) {
  return (
    <section className="todos-column" aria-label={name}>
      <h2>
        {name} <span className="rows-muted">{todos.length}</span>
      </h2>
      <ul className="rows-list">
        {todos.map((todo) => (
          <li key={todo.id} className="rows-row">
            <div className="rows-line">
              <span className="rows-muted">#{todo.id}</span>
              <strong>
                <Foreign text={todo.subject} />
              </strong>
            </div>
            {todo.description && (
              <p className="rows-text" dir="auto">
                {shown(todo.description)}
              </p>
            )}
            <p className="rows-text rows-muted">
              <Foreign text={todo.owner} />
              <Blocked todo={todo} all={all} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What it waits for, as long as that is not done. */
function Blocked({ todo, all }: { todo: Todo; all: readonly Todo[] }) {
  const open = todo.blocked_by.filter((id) => all.find((one) => one.id === id)?.status !== "completed");
  return open.length > 0 && todo.status !== "completed" ? (
    <>, waits for {open.map((id) => `#${id}`).join(", ")}</>
  ) : null;
}
