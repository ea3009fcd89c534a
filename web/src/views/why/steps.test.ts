import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import type { Step } from "./pieces";
import { chainOf, sessionsOf } from "./steps";

const who = (name: string): Schemas["Who"] => ({
  by: "agent",
  name,
  session_id: `s-${name}`,
  branch_id: `b-${name}`,
});
const person: Schemas["Who"] = { by: "person", name: "", session_id: "", branch_id: "" };

const cause = (id: string, sender: Schemas["Who"], turn: string): Schemas["Cause"] => ({
  message_id: id,
  kind: "mail",
  sender,
  turn_id: turn,
});

const ask: Schemas["Asked"] = {
  ask_id: "a-1",
  kind: "approval",
  agent: who("ann"),
  turn_id: "t-2",
  call_id: "c_2_1_0",
  action: "message",
  resource: "sibling",
  tool: "send_message",
  to: who("bob"),
  text: "hello",
  options: [],
  state: "approved",
  by: "person",
  scope: "tree",
  answer: "",
  requested_us: 1,
  due_us: null,
  decided_us: 2,
  grants: [{ grant: 1, ask_id: "a-1", given_us: 2, revoked_us: null }],
};

const call: Schemas["Called"] = {
  call_id: "c_2_1_0",
  turn_id: "t-2",
  round: 1,
  tool: "send_message",
  arguments: "{}",
  changed_arguments: "",
  changed_by: "",
  outcome: "ok",
  hooks: [],
  ask_ids: ["a-1"],
  message_id: "m-sent",
  awaits_id: "",
  returned_id: "",
  work_id: "",
  cancelled_ids: [],
};

const turn: Schemas["TurnWhy"] = {
  turn_id: "t-2",
  agent: who("ann"),
  trigger: "mail",
  previous_id: "",
  next_id: "",
  state: "finished",
  end_reason: "answered",
  cancelled_by: null,
  cancelled_call_id: "",
  opened_us: 1,
  started_us: 2,
  ended_us: 3,
  chain: 1,
  messages: 1,
  generations: 0,
  task_id: "",
  result_id: "",
  read: [{ message_id: "m-2", kind: "mail", sender: who("bob"), how: "opened", round: 1, at_us: 2 }],
  calls: [call],
  sent: [
    { message_id: "m-sent", kind: "mail", to: who("bob"), state: "consumed", call_id: "c_2_1_0" },
    { message_id: "m-beside", kind: "result", to: who("eve"), state: "accepted", call_id: "" },
  ],
  tasks: [],
  asks: [ask],
  side_calls: [],
  goals: [],
  spent: {
    rounds: 2,
    input_tokens: 1_000,
    output_tokens: 200,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost_micros: 1_500,
    unpriced: 0,
  },
  text: "done",
};

const why = (more: Partial<Schemas["Why"]>): Schemas["Why"] => ({ what: "turn", because: [], ...more });
const outline = (steps: readonly Step[]): unknown[] =>
  steps.map((step) => [step.word, ...outline(step.steps)]);
const words = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => [step.word, ...words(step.steps)]);

test("the chain begins with who began it all, and each step hangs on the one before", () => {
  const [first] = chainOf(
    why({ turn, because: [cause("m-2", who("bob"), "t-1"), cause("m-1", person, "")] }),
  );
  expect(first?.word).toBe("because of");
  expect(first?.pieces).toContainEqual({ as: "who", who: person });
  const second = first?.steps[0];
  expect(second?.pieces).toContainEqual({ as: "who", who: who("bob"), row: "m-2" });
  expect(second?.steps[0]?.word).toBe("turn");
});

test("approval and mail of a call hang on the call, and stand nowhere else", () => {
  const [own] = chainOf(why({ turn }));
  const made = own?.steps.find((step) => step.word === "called");
  expect(outline(made?.steps ?? [])).toEqual([["with"], ["asked", ["says"], ["let go by"]], ["sent"]]);
  expect(words(own?.steps ?? []).filter((word) => word === "asked")).toHaveLength(1);
  expect(words(own?.steps ?? []).filter((word) => word === "sent")).toHaveLength(2);
});

test("a turn says in order what it cost, what it read, what it did, and what it said", () => {
  const [own] = chainOf(why({ turn }));
  expect(own?.steps.map((step) => step.word)).toEqual(["cost", "opened by", "called", "sent", "said"]);
});

test("without a way back the thing itself comes first", () => {
  expect(chainOf(why({ what: "ask", ask, call })).map((step) => step.word)).toEqual(["ask", "called"]);
});

test("the sessions of everybody in the chain are known", () => {
  expect([...sessionsOf(chainOf(why({ turn })))].sort()).toEqual(["s-ann", "s-bob", "s-eve"]);
});
