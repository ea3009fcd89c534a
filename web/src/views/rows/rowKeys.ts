import type { KeyboardEvent } from "react";

const STEPS: { [key: string]: (at: number, last: number) => number } = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrow keys, Home and End move between the rows of a list; each row marks its link with `data-row`. */
export function onRowKeys(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const held = event.target;
  if (step === undefined || !(held instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey)
    return;
  if (held.matches("input, select, textarea")) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = links.findIndex((link) => link === held || link.closest("li")?.contains(held));
  const next = links[step(at, links.length - 1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
