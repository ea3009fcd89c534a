import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../api/live";
import { answer, mailIn, page, spawn, waiting } from "./fixtures";
import type { Row } from "./model";
import { concernsOf, cutFor, ITEMS_KEPT, ITEMS_MAX, queryOf, rowsOf, split } from "./segments";

const event = (more: Partial<LogEvent>): LogEvent => ({
  pos: 1,
  session_id: "s",
  agent: "",
  seq: 1,
  ts_us: 0,
  kind: "message.consumed",
  actor: "",
  visibility: "agent",
  branch_id: "",
  to: "",
  message_id: "",
  ask_id: "",
  ...more,
});

describe("stretches of a conversation", () => {
  it("meet without a gap, and the last is open", () => {
    expect(queryOf([10, 50], 0)).toEqual({ after: 9, before: 50, limit: 500 });
    expect(queryOf([10, 50], 1)).toEqual({ after: 49, limit: 500 });
    expect(queryOf([1], 0)).toEqual({ after: 0, limit: 500 });
  });

  it("are cut when the open one is long, and together they hold the same rows", () => {
    const rows: Row[] = Array.from({ length: ITEMS_MAX + 1 }, (_, n) => answer(n + 1));
    const cut = cutFor(rows);
    expect(cutFor(rows.slice(1))).toBeNull();
    expect(cut).toBe(ITEMS_MAX + 2 - ITEMS_KEPT);

    const [closed, open] = split(page([...rows, waiting("a")]), cut ?? 0);

    expect(open.rows).toHaveLength(ITEMS_KEPT + 1);
    expect(rowsOf([closed, open])).toEqual([...rows, waiting("a")]);
  });

  it("hold each row once, as the later stretch knows it", () => {
    const found = rowsOf([
      page([answer(1), answer(2)]),
      page([answer(2, { text: "newer" }), answer(3)]),
      undefined,
    ]);

    expect(found.map((row) => row.id)).toEqual(["answer:1", "answer:2", "answer:3"]);
    expect(found[1]).toMatchObject({ text: "newer" });
  });
});

describe("what an event changes", () => {
  it("is the open stretch, when it is about the agent", () => {
    expect(concernsOf("b1", [], true)(event({ branch_id: "b1" }))).toBe(true);
    expect(concernsOf("b1", [], true)(event({ branch_id: "b3" }))).toBe(false);
  });

  it("is a closed one only while its own mail is not read", () => {
    const read = event({ message_id: "m1" });

    expect(concernsOf("b1", [mailIn(1, { state: "accepted" })], false)(read)).toBe(true);
    expect(concernsOf("b1", [mailIn(1)], false)(read)).toBe(false);
    expect(concernsOf("b1", [mailIn(1, { state: "accepted" })], false)(event({ message_id: "m2" }))).toBe(
      false,
    );
  });

  it("is the card of an agent at work; behind its end only what it spends", () => {
    const calls = event({ kind: "call.ended", branch_id: "b2" });
    const spends = event({ kind: "answer.committed", branch_id: "b2" });

    expect(concernsOf("b1", [spawn(1)], false)(calls)).toBe(true);
    expect(concernsOf("b1", [spawn(1, { ended_us: 5 })], false)(calls)).toBe(false);
    expect(concernsOf("b1", [spawn(1, { ended_us: 5 })], false)(spends)).toBe(true);
  });
});
