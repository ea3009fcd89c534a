import { expect, it } from "vitest";
import { barOf } from "./me";

it("bars a login from what needs a greater scope, and says which", () => {
  expect(barOf("read", "operate")).toBe("This login has the scope read, and this needs operate.");
  expect(barOf("operate", "admin")).toContain("needs admin");
});

it("bars nothing that the scope covers, and nothing before the scope is known", () => {
  expect(barOf("admin", "operate")).toBe("");
  expect(barOf("operate", "operate")).toBe("");
  expect(barOf(undefined, "admin")).toBe("");
});
