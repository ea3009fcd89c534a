/** What was not delivered. */
export default function DeadView() {
  return <h1>Dead letters</h1>;
}
