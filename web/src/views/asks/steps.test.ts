import { expect, it } from "vitest";
import { stepOf } from "./steps";

function press(key: string, on: HTMLElement = document.body, more: KeyboardEventInit = {}) {
  const event = new KeyboardEvent("keydown", { key, ...more });
  Object.defineProperty(event, "target", { value: on });
  return stepOf(event);
}

it("goes through asks and decides them from the keyboard", () => {
  expect(["j", "ArrowUp", "a", "d", "?", "x"].map((key) => press(key))).toEqual([
    "next",
    "previous",
    "approve",
    "deny",
    "help",
    null,
  ]);
});

it("decides nothing while the person writes, or holds a key of the browser's", () => {
  const field = document.createElement("textarea");
  expect(press("a", field)).toBeNull();
  expect(press("a", document.body, { ctrlKey: true })).toBeNull();
  expect(press("a", document.body, { repeat: true })).toBeNull();
});
