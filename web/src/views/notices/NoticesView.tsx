/** What the person is told. */
export default function NoticesView() {
  return <h1>Notices</h1>;
}
