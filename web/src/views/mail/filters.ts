import type { Schemas } from "../../api/client";

export type MailState = Schemas["MailState"];
export type MailKind = Schemas["Kind"];

/** How a message may stand, in the order of its life. */
export const STATES = [
  "held",
  "posted",
  "accepted",
  "parked",
  "claimed",
  "consumed",
  "discarded",
  "undelivered",
] as const satisfies readonly MailState[];

/** What a message may be for. */
export const KINDS = [
  "user",
  "mail",
  "task",
  "prompt",
  "reply",
  "result",
  "notice",
  "plugin",
  "goal",
] as const satisfies readonly MailKind[];

/** Which mail is shown. What is empty does not matter. */
export type MailFilters = {
  readonly agent: string;
  readonly between: string;
  readonly session: string;
  readonly state: MailState | "";
  readonly kind: MailKind | "";
};

/** The filters that stand in the address of the view; a word that means nothing is no filter. */
export function filtersOf(agent: string, params: URLSearchParams): MailFilters {
  const state = params.get("state") ?? "";
  const kind = params.get("kind") ?? "";
  return {
    agent,
    between: agent ? (params.get("between") ?? "") : "",
    session: agent ? "" : (params.get("session") ?? ""),
    state: STATES.find((one) => one === state) ?? "",
    kind: KINDS.find((one) => one === kind) ?? "",
  };
}

/** Where these filters are shown: the agent is a part of the path, the rest stands behind it. */
export function toFiltered(filters: MailFilters): string {
  const { agent, ...rest } = filters;
  const params = new URLSearchParams();
  if (!agent && rest.session) params.set("session", rest.session);
  if (agent && rest.between) params.set("between", rest.between);
  if (rest.state) params.set("state", rest.state);
  if (rest.kind) params.set("kind", rest.kind);
  const path = agent ? `/mail/${encodeURIComponent(agent)}` : "/mail";
  const query = params.toString();
  return query ? `${path}?${query}` : path;
}

/** The filters as the API takes them. */
export function queryOf(filters: MailFilters): {
  agent?: string;
  between?: string;
  session?: string;
  state?: MailState;
  kind?: MailKind;
} {
  const { agent, between, session, state, kind } = filters;
  return {
    ...(agent && { agent }),
    ...(between && { between }),
    ...(session && { session }),
    ...(state && { state }),
    ...(kind && { kind }),
  };
}
