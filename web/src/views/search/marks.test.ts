import { expect, test } from "vitest";
import { marksOf } from "./marks";

const hits = (excerpt: string, searched: string) =>
  marksOf(excerpt, searched)
    .filter((part) => part.isHit)
    .map((part) => part.text);

test("the parts are the excerpt, whatever is searched for", () => {
  for (const [excerpt, searched] of [
    ["", "a"],
    ["…the end of a wall…", "wall the"],
    ["<b>bold</b> & <script>", "script b"],
    ["e\u0301te\u0301 \u{1f600} שלום", "été שלום"],
  ] as const) {
    const parts = marksOf(excerpt, searched);
    expect(parts.map((part) => part.text).join("")).toBe(excerpt);
  }
});

test("whole words are marked, whatever their case and accents", () => {
  expect(hits("Café CAFE cafes", "cafe")).toEqual(["Café", "CAFE"]);
});

test("a star marks every word that begins so", () => {
  expect(hits("review reviewer preview", "review*")).toEqual(["review", "reviewer"]);
});

test("words in quotes are marked where they stand together", () => {
  expect(hits("north wall, the wall north", '"north wall"')).toEqual(["north", "wall"]);
});

test("what holds no word marks nothing", () => {
  expect(hits("a * b", '* "" -')).toEqual([]);
});
