import { expect, it } from "vitest";
import { readable } from "./readable";

it("gives each part of what a call is given a line, and changes no other text", () => {
  expect(readable('{"path":"a.md","text":"one\\ntwo"}')).toBe(
    '{\n  "path": "a.md",\n  "text": "one\\ntwo"\n}',
  );
  for (const text of ["May I?", '{"path":"cut of', "12", '"x"', "null"]) expect(readable(text)).toBe(text);
});
