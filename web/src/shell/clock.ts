const told = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Be told of every second. One timer serves the page, and none runs where no age is shown. */
export function onSecond(tell: () => void): () => void {
  told.add(tell);
  timer ??= setInterval(() => {
    if (!document.hidden) for (const one of told) one();
  }, 1_000);
  return () => {
    told.delete(tell);
    if (told.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

const SPANS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A span of seconds with its two greatest units: `1 h 5 min`. */
export function spanText(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [unit, size] of SPANS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "0 s";
}

/** How long ago a moment of the wall clock was. */
export function agoText(us: number, nowMs: number): string {
  return spanText((nowMs - us / 1_000) / 1_000);
}
