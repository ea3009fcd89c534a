import { expect, test } from "vitest";
import { agent, at, entry } from "./entries.testing";
import { isQuarantined, isRecallable, remark, standings } from "./standing";

const [ann, bob, eve] = [agent("ann"), agent("bob"), agent("eve")];

test("a message to several says how many stand in which way", () => {
  const group = entry(ann, [at(bob), at(eve), at(eve, { state: "accepted", parked: true })]);
  expect(standings(group)).toEqual([
    { state: "consumed", count: 2 },
    { state: "parked", count: 1 },
  ]);
});

test("on a bus it is posted until somebody takes it or the bus is over", () => {
  expect(standings(entry(ann, [], { waits_on_bus: true }))).toEqual([{ state: "posted", count: 1 }]);
  expect(standings(entry(ann, []))).toEqual([{ state: "undelivered", count: 1 }]);
});

test("only what somebody wrote and nobody has begun to read is taken back", () => {
  const unread = at(bob, { state: "accepted", attempts: 0 });
  expect(isRecallable(entry(ann, [unread]))).toBe(true);
  expect(isRecallable(entry(ann, [unread, at(eve)]))).toBe(false);
  expect(isRecallable(entry(ann, [{ ...unread, attempts: 1 }]))).toBe(false);
  for (const kind of ["prompt", "task", "result", "reply", "notice"])
    expect(isRecallable(entry(ann, [unread], { kind }))).toBe(false);
});

test("what was set aside may be tried again", () => {
  expect(isQuarantined(entry(ann, [at(bob, { state: "discarded", reason: "quarantined" })]))).toBe(true);
  expect(isQuarantined(entry(ann, [at(bob, { state: "discarded", reason: "expired" })]))).toBe(false);
});

test("a recipient says why it is held, or how long it took to be read", () => {
  expect(remark(at(bob, { latency_us: 1_500_000 }))).toBe("read after 1.5 s");
  expect(remark(at(bob, { state: "held", held_for: "no_directory", latency_us: null }))).toBe(
    "for no directory",
  );
});
