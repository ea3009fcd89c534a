import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { freshener } from "./fresh";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A query that is looked at, and how often it was asked. */
async function looked(takesMs: number) {
  const queries = new QueryClient();
  let asked = 0;
  const queryFn = async () => {
    asked += 1;
    await new Promise((done) => setTimeout(done, takesMs));
    return asked;
  };
  const { QueryObserver } = await import("@tanstack/react-query");
  new QueryObserver(queries, { queryKey: ["board"], queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(
    () => {},
  );
  await vi.advanceTimersByTimeAsync(takesMs + 1);
  return { fresh: freshener(queries, ["board"]), times: () => asked };
}

it("asks at most four times a second, and once more for the last change", async () => {
  const { fresh, times } = await looked(1);
  for (let at = 0; at < 1_000; at += 5) {
    fresh.touch();
    await vi.advanceTimersByTimeAsync(5);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times() - 1).toBeGreaterThanOrEqual(4);
  expect(times() - 1).toBeLessThanOrEqual(5);
});

it("lets a slow answer come before it asks again", async () => {
  const { fresh, times } = await looked(900);
  for (let at = 0; at < 1_000; at += 50) {
    fresh.touch();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(times()).toBe(3);
});
