/** Millionths of a US dollar as dollars: to the cent, or finer where it is less than one. */
export function moneyText(micros: number): string {
  const dollars = micros / 1_000_000;
  const digits = micros !== 0 && Math.abs(dollars) < 0.1 ? 4 : 2;
  return `$${dollars.toFixed(digits)}`;
}

/** What something has cost. */
export function Money({ micros }: { micros: number }) {
  return <span title={`${micros} millionths of a US dollar`}>{moneyText(micros)}</span>;
}
