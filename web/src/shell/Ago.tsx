import { useSyncExternalStore } from "react";
import { agoText, onSecond, spanText } from "./clock";
import { stampText } from "./Stamp";

/** How long ago something was. It ticks without asking the daemon. */
export function Ago({ us }: { us: number }) {
  const text = useSyncExternalStore(onSecond, () => agoText(us, Date.now()));
  return (
    <time dateTime={new Date(us / 1_000).toISOString()} title={stampText(us)}>
      {text}
    </time>
  );
}

/** How long it still is until something is due; `overdue` behind that. */
export function Until({ us }: { us: number }) {
  const text = useSyncExternalStore(onSecond, () => untilText(us, Date.now()));
  return (
    <time dateTime={new Date(us / 1_000).toISOString()} title={stampText(us)}>
      {text}
    </time>
  );
}

function untilText(us: number, nowMs: number): string {
  const seconds = (us / 1_000 - nowMs) / 1_000;
  return seconds > 0 ? spanText(Math.ceil(seconds)) : "overdue";
}
