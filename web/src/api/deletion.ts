import { useLog } from "./live";
import { isDeletion } from "./stream";

/** Be told that the session that one looks at was deleted, so that nothing of it is asked for any more. */
export function useDeletion(sessionId: string, handle: () => void): void {
  useLog((events) => {
    if (sessionId && events.some((event) => isDeletion(event) && event.session_id === sessionId)) handle();
  });
}
