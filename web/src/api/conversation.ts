import { type QueryClient, useQuery } from "@tanstack/react-query";
import { api, taken } from "./client";
import { KEYS } from "./keys";

/** What stays the same of a session: the conversation of the person that it belongs to, and whose it is. */
export type Conversation = {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly activeBranchId: string;
  readonly title: string;
};

const known = (reference: string) => ({
  queryKey: KEYS.conversation(reference),
  queryFn: async (): Promise<Conversation | null> => {
    const path = { params: { path: { session: reference } } };
    const { session } = taken(await api.GET("/api/v1/sessions/{session}", path));
    return {
      sessionId: session.session_id,
      rootSessionId: session.root_session_id,
      activeBranchId: session.active_branch_id,
      title: session.title,
    };
  },
  retry: false,
  retryOnMount: false,
});

/** To which conversation an agent or session belongs; asked once for each. Null where nobody is called so. */
export async function conversationOf(queries: QueryClient, reference: string): Promise<Conversation | null> {
  try {
    return await queries.ensureQueryData(known(reference));
  } catch {
    return null;
  }
}

/** A session is gone: nobody has to ask for it any more. */
export function forgetConversation(queries: QueryClient, sessionId: string): void {
  queries.setQueryData(KEYS.conversation(sessionId), null);
}

/** The same for what a view shows; null while it is not known. */
export function useConversation(reference: string): Conversation | null {
  return useQuery({ ...known(reference), enabled: reference !== "" }).data ?? null;
}
