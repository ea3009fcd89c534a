import { expect, it } from "vitest";
import { type Board, concernsBoard } from "./board";
import { event } from "./samples";

const page = { roots: [{ agents: [{ session_id: "s1" }] }], before: null } as unknown as Board;

it("looks at an older page again only for an agent that is on it", () => {
  expect(concernsBoard(page, false, event(1, "turn.started"))).toBe(true);
  expect(concernsBoard(page, false, event(1, "turn.started", { session_id: "s2" }))).toBe(false);
  expect(concernsBoard(page, true, event(1, "turn.started", { session_id: "s2" }))).toBe(true);
});

it("looks at no page again for what a board does not show", () => {
  expect(concernsBoard(page, true, event(1, "nodes.appended"))).toBe(false);
});
