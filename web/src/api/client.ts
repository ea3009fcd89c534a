import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** The version of the API that this page was built for; the daemon refuses another. */
export const PROTOCOL_VERSION = "1";

/** Typed by the daemon's own OpenAPI document. The cookie of the login travels by itself. */
export const api = createClient<paths>({
  headers: { "Postroom-Protocol": PROTOCOL_VERSION },
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
