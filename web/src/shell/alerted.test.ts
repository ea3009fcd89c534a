import { expect, it } from "vitest";
import type { Ask } from "../api/asks";
import type { Schemas } from "../api/client";
import { missed } from "./alerted";

const ASK: Ask = {
  ask_id: "a1",
  kind: "question",
  session_id: "s2",
  root_session_id: "s1",
  agent: "bob_1",
  profile: "bob",
  requested_us: 5,
} as Ask;
const SESSION = {
  session_id: "s3",
  active_branch_id: "b3",
  title: "Build",
  handle: "",
  profile: "ann",
  state: "finished",
  last_active_us: 7,
} as Schemas["SessionView"];

it("tells of what came while no window was open: open asks, and turns that are over", () => {
  const found = missed(4, [ASK], [SESSION, { ...SESSION, session_id: "s4", state: "running" }]);
  expect(found.map(({ key, title, rootId }) => [key, title, rootId])).toEqual([
    ["ask:a1", "bob_1 has a question", "s1"],
    ["end:b3", "ann: finished", "s3"],
  ]);
});

it("tells nothing twice that was heard before", () => {
  expect(missed(7, [ASK], [SESSION])).toEqual([]);
});
