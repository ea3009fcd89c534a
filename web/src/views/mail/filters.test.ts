import { expect, test } from "vitest";
import { filtersOf, queryOf, toFiltered } from "./filters";

const read = (agent: string, query: string) => filtersOf(agent, new URLSearchParams(query));

test("filters are read from the address and written to it again", () => {
  for (const [agent, query] of [
    ["", ""],
    ["", "session=abc&state=held&kind=mail"],
    ["writer_1a2b3c4d", "between=reviewer&state=consumed"],
    ["f00:ba4", "kind=task"],
  ] as const) {
    const filters = read(agent, query);
    const path = agent ? `/mail/${encodeURIComponent(agent)}` : "/mail";
    expect(toFiltered(filters)).toBe(query ? `${path}?${query}` : path);
  }
});

test("a name with marks that mean something in an address comes back as it was", () => {
  const filters = { ...read("", ""), agent: "a/b?c#d %41", between: "x&y=z" };
  const address = new URL(toFiltered(filters), "http://localhost");
  const agent = decodeURIComponent(address.pathname.slice("/mail/".length));
  expect(filtersOf(agent, address.searchParams)).toEqual(filters);
});

test("a word that is no state or kind is no filter", () => {
  expect(read("", "state=lost&kind=spam")).toEqual(read("", ""));
});

test("between needs an agent, and the mail of one agent is of no session", () => {
  expect(read("", "between=b").between).toBe("");
  expect(read("a", "session=s&between=b")).toMatchObject({ session: "", between: "b" });
});

test("the daemon is asked for what is filtered, and for nothing else", () => {
  expect(queryOf(read("", ""))).toEqual({});
  expect(queryOf(read("a", "state=held"))).toEqual({ agent: "a", state: "held" });
});
