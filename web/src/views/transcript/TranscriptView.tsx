/** The conversation of one agent. */
export default function TranscriptView() {
  return <h1>Transcript</h1>;
}
