import { useEffect, useEffectEvent } from "react";
import { keep, kept } from "./kept";

const KEPT_AS = "postroom.keys";

/** What keys do in a view, one key each. */
export type Keys = { readonly [key: string]: () => void };

/** Whether keys of one character do something. Whoever speaks to the machine turns them off: WCAG 2.1.4. */
export function areCharactersKeys(): boolean {
  return kept(KEPT_AS) !== "off";
}

/** Turns them on or off, in every window of this browser. */
export function setCharactersKeys(on: boolean): void {
  keep(KEPT_AS, on ? "on" : "off");
}

/** Keys of the view, which do nothing where a key means something else. */
export function useKeys(keys: Keys): void {
  const newest = useEffectEvent((event: KeyboardEvent) => {
    const deed = keys[event.key];
    if (!deed || !isForView(event)) return;
    event.preventDefault();
    deed();
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => newest(event);
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}

/** Whether a key is meant for the view: not while the person types or a dialog is open, nor with a modifier. */
function isForView(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return false;
  if (event.key.length === 1 && !areCharactersKeys()) return false;
  const { target } = event;
  if (!(target instanceof Element)) return true;
  return target.closest("input, textarea, select, dialog, [contenteditable]") === null;
}
