import { useParams } from "wouter";

/**
 * Where the transcript of an agent is: by id, handle, `SESSION:BRANCH` or name. With a row it begins there: one
 * may be named by its own id, its item, its message or its turn.
 */
export const toAgent = (agent: string, row = ""): string =>
  `/agents/${encodeURIComponent(agent)}${row && `?row=${encodeURIComponent(row)}`}`;

/** Where the graph of a session's tree is. */
export const toGraph = (session: string): string => `/sessions/${encodeURIComponent(session)}/graph`;

/** Where the mail of an agent is. */
export const toMail = (agent: string): string => `/mail/${encodeURIComponent(agent)}`;

/** Where a message is shown in full. */
export const toMessage = (messageId: string): string => `/messages/${encodeURIComponent(messageId)}`;

/** Where it is shown why a message or turn came to be. */
export const toWhy = (reference: string): string => `/why/${encodeURIComponent(reference)}`;

/** Where the board of a session is. */
export const toTodos = (session: string): string => `/todos/${encodeURIComponent(session)}`;

/** A part of the address of the view, exactly as it was before it was put there; empty when it is not there. */
export function useParam(name: string): string {
  const value = useParams<{ [name: string]: string | undefined }>()[name] ?? "";
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
