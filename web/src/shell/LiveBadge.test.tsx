import { act, cleanup, render, screen } from "@testing-library/react";
import { Profiler } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Hub, type Source } from "../api/hub";
import { LiveProvider } from "../api/live";
import { event } from "../api/samples";
import { LiveBadge } from "./LiveBadge";

class Line extends EventTarget implements Source {
  close(): void {}

  say(frame: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(frame, { data: JSON.stringify(data) }));
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("is not drawn anew while 200 events a second come, and says at once that the stream is gone", () => {
  const line = new Line();
  const hub = new Hub({ dial: () => line, whyNot: async () => null });
  let draws = 0;
  render(
    <LiveProvider hub={hub}>
      <Profiler id="badge" onRender={() => draws++}>
        <LiveBadge />
      </Profiler>
    </LiveProvider>,
  );
  act(() => {
    line.say("open", { protocol: 1, pos: 0 });
    line.say("live", {});
  });
  expect(screen.getByRole("status").textContent).toContain("live");
  const before = draws;
  for (let pos = 1; pos <= 200; pos++) {
    act(() => {
      line.say("log", event(pos, "nodes.appended"));
      vi.advanceTimersByTime(5);
    });
  }
  expect(draws).toBe(before);
  act(() => {
    line.dispatchEvent(new Event("error"));
  });
  expect(screen.getByRole("status").textContent).toContain("NOT live");
});
