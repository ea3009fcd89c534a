/** The board of a session. */
export default function TodosView() {
  return <h1>To do</h1>;
}
