const LATER_MS = 250;

/**
 * Keeps the place of whoever works by keyboard or listens: what had the focus and is gone, or is off for good, gives
 * it to what it stood in; what is off for a moment gets it back. Never to a neighbour, which the same key would
 * press. Says how to end that.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  let around: readonly HTMLElement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function came({ target }: FocusEvent): void {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    around = ancestors(target);
  }

  // Who clicks beside everything means it. What is taken away tells of it while it is being taken away.
  function left({ relatedTarget }: FocusEvent): void {
    if (relatedTarget === null)
      queueMicrotask(() => {
        if (last !== null && isThere(last) && !last.matches(":disabled")) last = null;
      });
  }

  function look(): void {
    clearTimeout(timer);
    if (last === null || document.activeElement !== document.body) return;
    if (isThere(last) && last.matches(":disabled")) timer = setTimeout(leave, LATER_MS);
    else if (isThere(last)) last.focus({ preventScroll: true });
    else leave();
  }

  function leave(): void {
    if (document.activeElement !== document.body) return;
    const place = around.find(isThere);
    if (place === undefined) return;
    if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }

  const observer = new MutationObserver(look);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["disabled", "open"],
  });
  document.addEventListener("focusin", came);
  document.addEventListener("focusout", left);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("focusin", came);
    document.removeEventListener("focusout", left);
  };
}

function ancestors(of: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let one = of.parentElement; one !== null && one !== document.body; one = one.parentElement)
    found.push(one);
  return found;
}

function isThere(one: HTMLElement): boolean {
  return one.isConnected && one.checkVisibility();
}
