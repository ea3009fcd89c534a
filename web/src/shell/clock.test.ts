import { expect, it } from "vitest";
import { agoText, spanText } from "./clock";

it("names the two greatest units of a span", () => {
  expect([0, 59, 60, 61, 3_600, 3_661, 90_061].map(spanText)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "1 min 1 s",
    "1 h",
    "1 h 1 min",
    "1 d 1 h",
  ]);
});

it("never says that something will have been", () => {
  expect(agoText(5_000_000, 1_000)).toBe("0 s");
});
