import { expect, test } from "vitest";
import { endWords } from "./ended";

test("a code of an end is said in words, and anything else stays as it is", () => {
  expect(endWords("cancel.user")).toBe("by you");
  expect(endWords("model_auth: no key")).toBe("model_auth: no key");
});
