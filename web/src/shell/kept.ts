/** What this browser keeps for the page, over loads and for all its windows; null where it keeps nothing. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps it. Without storage it is forgotten with the page. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing, or has no room left.
  }
}
