/** Begin a conversation. */
export default function NewSessionView() {
  return <h1>New conversation</h1>;
}
