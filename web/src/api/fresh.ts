import type { QueryClient, QueryKey } from "@tanstack/react-query";

const APART_MS = 250;
const APART_HIDDEN_MS = 2_000;

/** Asks a query anew, seldom enough, and never while an answer to it is under way. */
export type Freshener = { touch: () => void; stop: () => void };

/** A freshener of a query and all whose keys begin with its key. */
export function freshener(queries: QueryClient, queryKey: QueryKey): Freshener {
  let last = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function apart(): number {
    return document.hidden ? APART_HIDDEN_MS : APART_MS;
  }

  function ask(): void {
    timer = undefined;
    // To ask again before the answer is there would starve the view when events are many.
    if (queries.isFetching({ queryKey }) > 0) {
      timer = setTimeout(ask, apart());
      return;
    }
    last = performance.now();
    void queries.invalidateQueries({ queryKey });
  }

  return {
    touch() {
      if (timer !== undefined) return;
      const wait = last + apart() - performance.now();
      if (wait > 0 || queries.isFetching({ queryKey }) > 0) timer = setTimeout(ask, Math.max(wait, 20));
      else ask();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
