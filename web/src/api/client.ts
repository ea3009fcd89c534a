import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** The version of the API that this page was built for; the daemon refuses another. */
export const PROTOCOL_VERSION = "1";

/** What every request says of the page's protocol. */
export const PROTOCOL_HEADERS = { "Postroom-Protocol": PROTOCOL_VERSION };

/** Typed by the daemon's own OpenAPI document. The cookie of the login travels by itself. */
export const api = createClient<paths>({ headers: PROTOCOL_HEADERS });

type Barred = "logged_out" | "outdated";
const told = new Set<(as: Barred) => void>();

/** Be told when any answer says that the login is gone, or that the page is of another version. */
export function onBarred(tell: (as: Barred) => void): () => void {
  told.add(tell);
  return () => {
    told.delete(tell);
  };
}

api.use({
  onResponse({ response }) {
    if (response.status === 401) for (const tell of told) tell("logged_out");
    if (response.status === 426) for (const tell of told) tell("outdated");
  },
});

/** What the daemon said no to, with its stable code and what would be right. */
export class Told extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

// What may have been done, or may be done a moment later, although the answer is a failure.
const MAY_COME = new Set([
  "engine_shutdown",
  "store_busy",
  "store_closed",
  "rate_limited",
  "unauthenticated",
]);

/** Whether a failure says for certain that nothing was done, and that to ask again would give the same. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Told && !error.code.startsWith("http_5") && !MAY_COME.has(error.code);
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The value of an answer. Throws `Told` for any other than success. */
export function taken<T>(answer: Answer<T>): T {
  if (answer.response.ok) return answer.data as T;
  const problem = answer.error as Partial<Schemas["Problem"]> | undefined;
  throw new Told(
    problem?.error?.code ?? `http_${answer.response.status}`,
    problem?.error?.message ?? answer.response.statusText,
    problem?.error?.remedy ?? "",
  );
}
