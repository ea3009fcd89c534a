import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { told } from "./Failure";
import { toast } from "./toasts";

/**
 * Something that the person does. Its failure is told as a toast with code and remedy; `run` then gives
 * `undefined`. While it is under way it is not done a second time.
 */
export function useDeed<A extends unknown[], R>(
  deed: (...given: A) => Promise<R>,
): { run: (...given: A) => Promise<R | undefined>; busy: boolean } {
  const [busy, setBusy] = useState(false);
  const isBusy = useRef(false);
  const newest = useRef(deed);
  useLayoutEffect(() => {
    newest.current = deed;
  });
  const run = useCallback(async (...given: A): Promise<R | undefined> => {
    if (isBusy.current) return undefined;
    isBusy.current = true;
    setBusy(true);
    try {
      return await newest.current(...given);
    } catch (error) {
      const { code, message, remedy } = told(error);
      toast({ tone: "bad", title: code, text: remedy ? `${message}\n${remedy}` : message });
      return undefined;
    } finally {
      isBusy.current = false;
      setBusy(false);
    }
  }, []);
  return { run, busy };
}
