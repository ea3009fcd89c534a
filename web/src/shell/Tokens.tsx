const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const FULL = new Intl.NumberFormat("en");

/** A number of tokens in short; in full where one points at it. */
export function Tokens({ n }: { n: number }) {
  return <span title={`${FULL.format(n)} tokens`}>{SHORT.format(n)}</span>;
}
