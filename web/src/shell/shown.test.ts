import { expect, it } from "vitest";
import { shown } from "./shown";

it("shows what would turn a text around, hide in it or end it", () => {
  expect(shown("a\u202eb\u200bc\u0000d\u001b[2J")).toBe("a\\u{202e}b\\u{200b}c\\u{0}d\\u{1b}[2J");
});

it("leaves what scripts and pictures need", () => {
  const text = "می\u200cخواهم 👩\u200d💻\n\tzwei";
  expect(shown(text)).toBe(text);
});
