import type { Heading, Letter, Page, Row, RowOf, Speaker } from "./model";

/** Rows for tests, each with no more than what the test is about. */
export const AGENT: Speaker = {
  by: "agent",
  name: "writer",
  address: "writer",
  branch_id: "b2",
  session_id: "s2",
};

export function letter(more: Partial<Letter> = {}): Letter {
  return {
    message_id: "m1",
    message_kind: "mail",
    mode: "steer",
    provenance: "agent",
    sender: AGENT,
    selector: "",
    text: "hello",
    missing_chars: 0,
    pruned_bytes: null,
    pruned_sha256: "",
    outcome: "",
    code: "",
    state: "consumed",
    parked: false,
    reason: "",
    attempts: 1,
    read_round: 1,
    read_turn_id: "t1",
    reverted: false,
    sent_us: 0,
    ...more,
  };
}

export function answer(node: number, more: Partial<RowOf<"answer">> = {}): Row {
  return {
    kind: "answer",
    id: `answer:${node}`,
    ts_us: node,
    turn_id: "t1",
    node_id: node,
    provenance: "agent",
    round: 1,
    text: "well",
    missing_chars: 0,
    model: "",
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cost_micros: 0,
    ...more,
  };
}

export function mailIn(node: number, part: Partial<Letter> = {}): Row {
  const common = { ts_us: node, turn_id: "t1", node_id: node };
  return { kind: "mail_in", id: `mail_in:${node}`, provenance: "agent", parts: [letter(part)], ...common };
}

export function waiting(id: string): Row {
  const common = { ts_us: 0, turn_id: "t1", node_id: null };
  return {
    kind: "waiting",
    id: `waiting:${id}`,
    provenance: "agent",
    letter: letter({ state: "accepted" }),
    ...common,
  };
}

export function spawn(node: number, more: Partial<RowOf<"spawn">> = {}): Row {
  return {
    kind: "spawn",
    id: `spawn:${node}`,
    ts_us: node,
    turn_id: "t1",
    node_id: node,
    provenance: "agent",
    call_id: "c",
    task_id: "t_1",
    message_id: "m9",
    agent: AGENT,
    profile: "writer",
    made_agent: true,
    background: true,
    description: "write",
    task_state: "running",
    status: "running",
    outcome: "",
    cause: "",
    tokens: 0,
    cost_micros: 0,
    preview: "",
    ended_us: null,
    ...more,
  };
}

export function heading(more: Partial<Heading> = {}): Heading {
  return {
    name: "r",
    address: "r",
    branch_id: "b1",
    session_id: "s1",
    root_session_id: "s1",
    profile: "r",
    title: "",
    state: "running",
    doing: { what: "model", tools: [], waits_for: [] },
    turn_id: "t1",
    rounds: 0,
    unread: 0,
    parked: 0,
    mode: "ask",
    attended: true,
    tokens: 0,
    cost_micros: 0,
    chain: null,
    archived: false,
    pruned: false,
    sealed: false,
    made_by: null,
    ...more,
  };
}

export const page = (rows: Row[], older: number | null = null): Page => ({
  agent: heading(),
  rows,
  older,
  head: 0,
});
