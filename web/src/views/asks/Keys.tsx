const LINES = [
  ["j", "↓", "the next ask"],
  ["k", "↑", "the ask before"],
  ["a", "", "approve once"],
  ["d", "", "deny; then write why and press Enter"],
  ["?", "", "show or hide this"],
] as const;

/** Which keys do what here. */
export function Keys() {
  return (
    <dl className="asks-keys" aria-label="Keys">
      {LINES.map(([key, other, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd> {other && <kbd>{other}</kbd>}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
