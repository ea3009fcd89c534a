/** What agents have handed out. */
export default function TasksView() {
  return <h1>Tasks</h1>;
}
