import { expect, test } from "vitest";
import { agent, at, entry, person } from "./entries.testing";
import { labelOf, layLanes } from "./lanes";

const [ann, bob, eve] = [agent("ann"), agent("bob"), agent("eve")];

test("the person is on the left, then agents as they came in, then whoever else", () => {
  const plugin = { ...person, by: "plugin", label: "ci" };
  const newestFirst = [entry(plugin, [at(ann)]), entry(ann, [at(bob)]), entry(person, [at(ann)])];
  const { lanes } = layLanes(newestFirst);
  expect(lanes.map((lane) => lane.label)).toEqual(["You", "ann", "bob", "ci"]);
});

test("each message is an arrow from its sender's lane to its recipient's", () => {
  const { rows } = layLanes([entry(bob, [at(ann, { state: "held" })]), entry(ann, [at(bob)])]);
  expect(rows.map((row) => [row.from, row.arrows])).toEqual([
    [1, [{ to: 0, state: "held" }]],
    [0, [{ to: 1, state: "consumed" }]],
  ]);
});

test("a message to several has an arrow for each of them", () => {
  const { rows } = layLanes([entry(ann, [at(bob), at(eve)])]);
  expect(rows[0]?.arrows.map((arrow) => arrow.to)).toEqual([1, 2]);
});

test("a message on a bus that nobody has taken has no arrow yet", () => {
  const { lanes, rows } = layLanes([entry(ann, [], { selector: "everyone", waits_on_bus: true })]);
  expect(lanes.map((lane) => lane.label)).toEqual(["ann"]);
  expect(rows[0]?.arrows).toEqual([]);
});

test("one agent has one lane, whether it wrote or the runtime speaks for it, and after it was renamed", () => {
  const { lanes } = layLanes([
    entry({ ...ann, label: "anna" }, [at(bob)]),
    entry({ ...ann, by: "runtime" }, [at(bob)], { kind: "result" }),
    entry(ann, [at(bob)]),
  ]);
  expect(lanes).toHaveLength(2);
});

test("the person has a lane however many others there are", () => {
  const busy = ["a", "b", "c", "d"].map(agent);
  const entries = [...busy, ...busy].map((one) => entry(one, [at(ann)]));
  expect(layLanes([entry(person, [at(ann)]), ...entries], 3).lanes[0]?.label).toBe("You");
});

test("where there are too many agents the quietest share the last lane, without an arrow getting lost", () => {
  const many = Array.from({ length: 30 }, (_, index) => agent(`worker ${index}`));
  const entries = [
    ...many.map((one) => entry(ann, [at(one)])),
    ...many.slice(0, 3).map((one) => entry(one, [at(ann)])),
  ];
  const { lanes, rows } = layLanes(entries, 6);
  expect(lanes).toHaveLength(6);
  expect(lanes.at(-1)).toMatchObject({ isRest: true, label: "26 others" });
  expect(lanes.map((lane) => lane.label)).toContain("worker 2");
  for (const row of rows) {
    expect(row.arrows).toHaveLength(1);
    for (const place of [row.from, ...row.arrows.map((arrow) => arrow.to)])
      expect(lanes[place]).toBeDefined();
  }
});

test("an agent that is asked for by an id is called what its mail calls it", () => {
  const entries = [entry(person, [at(ann)])];
  expect(labelOf(ann.branch_id, entries)).toBe("ann");
  expect(labelOf("somebody else", entries)).toBe("somebody else");
});
