import { spanText } from "../../shell/clock";

/** A span of microseconds as people read it: finer than a second where it is short. */
export function durationText(us: number): string {
  const ms = Math.max(0, us / 1_000);
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return spanText(ms / 1_000);
}

/** How long a text is, in the unit that keeps the number short. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const kib = bytes / 1_024;
  return kib < 1_024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1_024).toFixed(1)} MiB`;
}
