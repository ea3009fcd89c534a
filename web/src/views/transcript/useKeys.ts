import { useEffect, useEffectEvent } from "react";

/** What keys do in a view, one key each. */
export type Keys = { readonly [key: string]: () => void };

/** Keys of the view. They do nothing while the person types, in a dialog, or together with a modifier. */
export function useKeys(keys: Keys): void {
  const newest = useEffectEvent((event: KeyboardEvent) => {
    const deed = keys[event.key];
    if (!deed || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    deed();
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => newest(event);
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest("input, textarea, select, dialog, [contenteditable]") !== null;
}
