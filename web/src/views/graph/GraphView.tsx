/** The graph of a session's tree. */
export default function GraphView() {
  return <h1>Graph</h1>;
}
