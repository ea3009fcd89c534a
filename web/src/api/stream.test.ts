import { describe, expect, it } from "vitest";
import { event } from "./samples";
import {
  BEGINNING,
  backOffMs,
  barred,
  cursor,
  heeded,
  lost,
  type Stream,
  type Taken,
  taking,
} from "./stream";

type Frame = readonly [frame: string, data: unknown];

/** What a stream has after some frames, and everything that they brought. */
function played(from: Stream, frames: readonly Frame[]): { stream: Stream; taken: Taken[] } {
  const taken: Taken[] = [];
  let stream = from;
  for (const [frame, data] of frames) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    taken.push(taking(stream, frame, text, 1_000));
    stream = taken.at(-1)?.stream ?? stream;
  }
  return { stream, taken };
}

const opened: Frame = ["open", { protocol: 1, version: "1", pos: 7 }];
const live: Frame = ["live", {}];

describe("a stream", () => {
  it("is live only once the replay is done", () => {
    expect(played(BEGINNING, [opened]).stream.state).toBe("replaying");
    expect(played(BEGINNING, [opened, live]).stream.state).toBe("live");
  });

  it("begins where the log stood when it was opened", () => {
    expect(played(BEGINNING, [opened]).stream.pos).toBe(7);
  });

  it("shows no event twice (CK-33)", () => {
    const { stream, taken } = played(BEGINNING, [
      opened,
      ["log", event(8, "turn.started")],
      ["log", event(8, "turn.started")],
      ["log", event(6, "turn.started")],
      ["log", event(11, "turn.ended")],
    ]);
    expect(taken.flatMap((one) => one.event?.pos ?? [])).toEqual([8, 11]);
    expect(stream.pos).toBe(11);
  });

  it("passes over frames and fields that it does not know (CK-33)", () => {
    const { stream, taken } = played(BEGINNING, [
      opened,
      ["sparkle", { pos: 99 }],
      ["log", { ...event(8, "moon.rose"), glitter: true }],
      ["log", "no JSON"],
      ["log", "7"],
      ["text", { branch_id: "b1" }],
    ]);
    expect(taken.flatMap((one) => one.event?.kind ?? [])).toEqual(["moon.rose"]);
    expect(taken.some((one) => one.piece)).toBe(false);
    expect(stream.pos).toBe(8);
  });

  it("does not let a frame without a number move its place", () => {
    const piece = { branch_id: "b1", turn_id: "t1", round: 1, attempt: 1, text: "he", pos: 500 };
    const { stream, taken } = played(BEGINNING, [opened, ["text", piece], live]);
    expect(stream.pos).toBe(7);
    expect(taken[1]?.piece?.text).toBe("he");
  });

  it("stays lost, since the first failure, until it is live again", () => {
    const once = lost(played(BEGINNING, [opened, live]).stream, 5_000);
    const twice = lost(once, 9_000);
    const back = played(twice, [opened]).stream;
    expect([twice.state, twice.sinceMs, twice.tries]).toEqual(["lost", 5_000, 2]);
    expect([back.state, back.sinceMs]).toEqual(["lost", 5_000]);
    expect(played(back, [live]).stream).toMatchObject({ state: "live", tries: 0 });
  });

  it("goes on from its own place after a reconnect, and keeps nothing of a text with a hole", () => {
    const before = played(BEGINNING, [opened, live, ["log", event(9, "turn.started")]]).stream;
    const { stream, taken } = played(lost(before, 1), [["open", { protocol: 1, pos: 40 }]]);
    expect(stream.pos).toBe(9);
    expect(taken[0]?.broken).toBe(true);
    expect(taken[0]?.reset).toBeUndefined();
  });

  it("asks everything anew when it never knew a place", () => {
    const { taken } = played(lost(BEGINNING, 1), [opened]);
    expect(taken[0]?.reset).toBe(true);
  });

  it("comes back with the name of its log, and takes another one only when it begins anew", () => {
    const first: Frame = ["open", { protocol: 1, pos: 7, tag: "aa" }];
    const other: Frame = ["open", { protocol: 1, pos: 3, tag: "bb" }];
    const { stream } = played(BEGINNING, [first, ["log", event(8, "turn.started")], other]);
    expect(cursor(stream)).toBe("8.aa");
    const anew = played(stream, [["reset", { reason: "restored", pos: 3, tag: "bb" }]]);
    expect(cursor(anew.stream)).toBe("3.bb");
    expect(anew.taken[0]?.reset).toBe(true);
  });

  it("forgets and begins at the place that a reset names", () => {
    const { stream, taken } = played(BEGINNING, [
      opened,
      ["reset", { reason: "pruned", pos: 3 }],
      ["log", event(4, "turn.started")],
    ]);
    expect(taken[1]?.reset).toBe(true);
    expect([taken[2]?.event?.pos, stream.pos]).toEqual([4, 4]);
  });

  it("remembers why the daemon hung up until it is live again", () => {
    const gone = played(BEGINNING, [opened, live, ["bye", { reason: "slow" }]]).stream;
    expect(lost(gone, 1).farewell).toBe("slow");
    expect(played(lost(gone, 1), [opened, live]).stream.farewell).toBe("");
  });

  it("says so when the daemon speaks another protocol", () => {
    expect(played(BEGINNING, [["open", { protocol: 2, pos: 1 }]]).stream.state).toBe("outdated");
  });

  it("leaves the state of one who is not let in when it is opened again", () => {
    expect(played(barred(BEGINNING, "logged_out", 1), [opened]).stream.state).toBe("replaying");
  });
});

it("tries again after 1, 2, 4, 8 and then every 15 seconds", () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(backOffMs)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

it("heeds of a deleted session only that it is gone, and asks for nothing else of it", () => {
  const gone = event(3, "session.deleted", { session_id: "s1" });
  const other = event(2, "branch.archived", { session_id: "s2" });
  expect(heeded([event(1, "branch.archived"), other, gone])).toEqual([other, gone]);
});
