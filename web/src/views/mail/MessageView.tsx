/** One message in full. */
export default function MessageView() {
  return <h1>Message</h1>;
}
