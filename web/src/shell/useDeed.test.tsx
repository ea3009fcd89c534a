import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Told } from "../api/client";
import { shownToasts } from "./toasts";
import { useDeed } from "./useDeed";

afterEach(cleanup);

it("tells of a failed deed by its code, with what would be right", async () => {
  const { result } = renderHook(() =>
    useDeed(async () => {
      throw new Told("not_paused", "it runs", "stop it first");
    }),
  );
  await act(async () => expect(await result.current.run()).toBeUndefined());
  expect(shownToasts().at(-1)).toMatchObject({
    tone: "bad",
    title: "not_paused",
    text: "it runs\nstop it first",
  });
  expect(result.current.busy).toBe(false);
});

it("does nothing twice while it is under way", async () => {
  let times = 0;
  let end: () => void = () => {};
  const { result } = renderHook(() =>
    useDeed(async () => {
      times += 1;
      await new Promise<void>((done) => {
        end = done;
      });
    }),
  );
  await act(async () => {
    void result.current.run();
    void result.current.run();
  });
  expect([times, result.current.busy]).toEqual([1, true]);
  await act(async () => end());
  expect(result.current.busy).toBe(false);
});
