const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** A moment with its day, in the reader's own zone. */
export function stampText(us: number): string {
  const at = new Date(us / 1_000);
  return `${DAY.format(at)} ${TIME.format(at)}`;
}

/** A moment: the time alone where it was today. */
export function Stamp({ us }: { us: number }) {
  const at = new Date(us / 1_000);
  const isToday = at.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at.toISOString()} title={stampText(us)}>
      {isToday ? TIME.format(at) : stampText(us)}
    </time>
  );
}
