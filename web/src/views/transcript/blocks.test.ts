import { describe, expect, it } from "vitest";
import { blocksOf, NOTHING_UNSEEN, unseenAfter } from "./blocks";
import { answer, mailIn, waiting } from "./fixtures";

describe("blocks", () => {
  it("begins each turn with a heading that stays the same when older rows come in front", () => {
    const rows = [answer(5), answer(6), answer(7, { turn_id: "t2" })];

    const before = blocksOf(rows, null).map((one) => one.id);
    const after = blocksOf([mailIn(4), ...rows], null).map((one) => one.id);

    expect(before).toEqual(["turn:t1", "answer:5", "answer:6", "turn:t2", "answer:7"]);
    expect(after).toEqual(["turn:t1", "mail_in:4", "answer:5", "answer:6", "turn:t2", "answer:7"]);
  });

  it("puts the answer that streams where it will be, in front of what waits unread", () => {
    const live = { turn_id: "t1", round: 2, attempt: 1, text: "so" };

    const blocks = blocksOf([answer(5), waiting("a"), waiting("b")], live);

    expect(blocks.map((one) => one.kind)).toEqual(["turn", "row", "live", "waiting", "row", "row"]);
  });
});

describe("what one has not seen", () => {
  it("counts rows that came while the end was out of view", () => {
    const seen = unseenAfter(NOTHING_UNSEEN, ["a"], true);
    const away = unseenAfter(seen, ["a", "b", "c"], false);

    expect(away.count).toBe(2);
    expect(unseenAfter(away, ["a", "b", "c"], false)).toBe(away);
    expect(unseenAfter(away, ["a", "b", "c"], true).count).toBe(0);
  });

  it("does not count what comes in front", () => {
    const seen = unseenAfter(NOTHING_UNSEEN, ["c"], true);

    expect(unseenAfter(seen, ["a", "b", "c"], false).count).toBe(0);
  });

  it("is nothing new when a revert takes the newest row away", () => {
    const seen = unseenAfter(NOTHING_UNSEEN, ["a", "b"], true);

    expect(unseenAfter(seen, ["a"], false)).toEqual({ newest: "a", count: 0 });
  });
});
