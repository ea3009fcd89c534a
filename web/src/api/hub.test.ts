import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Hub } from "./hub";
import { event } from "./samples";
import type { LogEvent } from "./stream";

/** A daemon on the other end of an `EventSource`, in the test's hand. */
class Line extends EventTarget {
  isOpen = true;

  constructor(readonly url: string) {
    super();
  }

  close(): void {
    this.isOpen = false;
  }

  say(frame: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(frame, { data: JSON.stringify(data) }));
  }

  fail(): void {
    this.dispatchEvent(new Event("error"));
  }
}

class World {
  readonly lines: Line[] = [];
  readonly seen: LogEvent[][] = [];
  resets = 0;
  why: "logged_out" | "outdated" | null = null;
  readonly hub = new Hub({
    dial: (url) => {
      this.lines.push(new Line(url));
      return this.line;
    },
    whyNot: async () => this.why,
  });

  constructor() {
    this.hub.read((events) => this.seen.push(events));
    this.hub.onReset(() => {
      this.resets += 1;
    });
    this.hub.start();
  }

  get line(): Line {
    const newest = this.lines.at(-1);
    if (newest === undefined) throw new Error("nobody has dialled");
    return newest;
  }

  live(pos: number): void {
    this.line.say("open", { protocol: 1, pos });
    this.line.say("live", {});
  }
}

let world: World;
beforeEach(() => {
  vi.useFakeTimers();
  world = new World();
});
afterEach(() => {
  world.hub.stop();
  vi.useRealTimers();
});

describe("the stream of the page", () => {
  it("hands on what came between two frames at once", () => {
    world.live(1);
    for (const pos of [2, 3, 4]) world.line.say("log", event(pos, "turn.started"));
    expect(world.seen).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(world.seen.map((events) => events.map(({ pos }) => pos))).toEqual([[2, 3, 4]]);
  });

  it("comes back behind the last event, without gap or double", async () => {
    world.live(1);
    world.line.say("log", event(2, "turn.started"));
    world.line.fail();
    expect(world.hub.standing().state).toBe("lost");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(world.lines).toHaveLength(2);
    expect(world.line.url).toContain("&after=2");
    world.line.say("open", { protocol: 1, pos: 4 });
    for (const pos of [2, 3, 4]) world.line.say("log", event(pos, "turn.started"));
    world.line.say("live", {});
    expect(world.seen.flat().map(({ pos }) => pos)).toEqual([2, 3, 4]);
    expect(world.hub.standing().state).toBe("live");
    expect(world.resets).toBe(0);
  });

  it("is tried again at once when the person says so", () => {
    world.live(1);
    world.line.fail();
    world.hub.tryNow();
    expect(world.lines).toHaveLength(2);
    expect(world.lines[0]?.isOpen).toBe(false);
  });

  it("hears nothing more from a line that it has hung up", () => {
    world.live(1);
    const old = world.line;
    world.hub.tryNow();
    old.say("log", event(2, "turn.started"));
    old.fail();
    vi.advanceTimersByTime(20);
    expect(world.seen).toEqual([]);
    expect(world.lines).toHaveLength(2);
  });

  it("believes no line over which the machine has slept", async () => {
    world.live(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.lines).toHaveLength(1);
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(world.hub.standing().state).toBe("lost");
    expect(world.lines).toHaveLength(2);
    expect(world.line.url).toContain("&after=1");
    world.line.say("open", { protocol: 1, pos: 1 });
    world.line.say("live", {});
    expect(world.hub.standing().state).toBe("live");
  });

  it("says that nobody is logged in, and tries no more until it is told to", async () => {
    world.live(1);
    world.why = "logged_out";
    world.line.fail();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.hub.standing().state).toBe("logged_out");
    expect(world.lines).toHaveLength(1);
    world.hub.tryNow();
    world.live(1);
    expect(world.hub.standing().state).toBe("live");
  });

  it("tells of a reset before the events behind it", () => {
    const order: string[] = [];
    world.hub.onReset(() => order.push("reset"));
    world.hub.read(() => order.push("events"));
    world.live(1);
    world.line.say("reset", { reason: "pruned", pos: 0 });
    world.line.say("log", event(1, "turn.started"));
    vi.advanceTimersByTime(20);
    expect(order).toEqual(["reset", "events"]);
  });

  it("shows a text while it streams and nothing once it is committed", () => {
    world.live(1);
    world.line.say("text", { branch_id: "b1", turn_id: "t", round: 1, attempt: 1, text: "he" });
    vi.advanceTimersByTime(20);
    expect(world.hub.textOf("b1")?.text).toBe("he");
    world.line.say("log", event(2, "answer.committed", { facts: { round: 1 } }));
    vi.advanceTimersByTime(20);
    expect(world.hub.textOf("b1")).toBeNull();
  });
});
