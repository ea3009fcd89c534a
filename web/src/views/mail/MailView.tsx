/** Who wrote to whom when. */
export default function MailView() {
  return <h1>Mail</h1>;
}
