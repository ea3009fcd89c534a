/** Everything that the person is asked. */
export default function AsksView() {
  return <h1>Asks</h1>;
}
