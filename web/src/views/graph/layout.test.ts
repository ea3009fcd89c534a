import { describe, expect, test } from "vitest";
import { layOut } from "./layout";
import { markName, markOf } from "./marks";
import { type Drawing, headChain } from "./model";
import { drawingOf, scenes } from "./sceneFiles";

const SCENES = scenes();

test("there are thirteen scenes", () => {
  expect(SCENES).toHaveLength(13);
});

describe.each(SCENES)("$scene", (scene) => {
  const drawing = drawingOf(scene);
  const layout = layOut(drawing);

  test("everything has its place on the lattice", () => {
    const places = [...layout.places].map(([name, place]) => [name, [place.column, place.row]]);

    expect(Object.fromEntries(places)).toEqual(scene.places);
  });

  test("every line is there, in its style and of its branch", () => {
    const lines = layout.lines.map((line) => `${line.source} ${line.target} ${line.kind} ${line.branch}`);

    expect(lines).toEqual(scene.lines);
  });

  test("names and ways out stand where they belong", () => {
    expect(layout.badges.map((badge) => `${badge.branch} ${badge.at}`)).toEqual(scene.badges);
    expect(layout.exits.map((exit) => `${exit.at} ${exit.edge ?? `branch ${exit.branch}`}`)).toEqual(
      scene.exits,
    );
  });

  test("every node says how it stands", () => {
    if (!scene.marks) return;
    const chain = headChain(drawing);
    const marks = drawing.nodes.map((node) => [`n${node.id}`, markName(markOf(node, drawing.head, chain))]);

    expect(Object.fromEntries(marks)).toEqual(scene.marks);
  });

  test("no two things share a place, and no row or column is empty", () => {
    const places = [...layout.places.values()];

    expect(new Set(places.map((place) => `${place.column}/${place.row}`)).size).toBe(places.length);
    expect(new Set(places.map((place) => place.column)).size).toBe(layout.columns);
    expect(new Set(places.map((place) => place.row)).size).toBe(layout.rows);
  });
});

/** A trunk with forks at regular distances, as a long session has them. */
function long(nodes: number, forks: number): Drawing {
  const made: Drawing["nodes"][number][] = [];
  const heads = [0];
  const add = (branch: number, predecessor: number, link: string) => {
    const id = made.length + 1;
    made.push({ id, shape: id % 2 ? "user" : "llm", branch, predecessor, link, opened: [] });
    heads[branch] = id;
    return id;
  };
  const each = Math.floor(nodes / (2 * forks));
  for (let n = 0; n < nodes / 2; n += 1) add(0, n, n === 0 ? "root" : "next");
  for (let fork = 1; fork <= forks; fork += 1) {
    let behind = fork * Math.floor(nodes / (2 * forks + 2));
    for (let n = 0; n < each; n += 1) behind = add(fork, behind, n === 0 ? "fork" : "next");
  }
  const branches = heads.map((head) => ({ head, internal: false, merged: false, elsewhere: null }));
  return { head: heads[0] ?? 0, branch: 0, nodes: made, branches, edges: [] };
}

test("the work of a layout grows as the graph does", () => {
  const [small, large] = [layOut(long(2_000, 20)), layOut(long(20_000, 200))];

  expect(small.places.size).toBe(2_001);
  expect(small.work).toBeLessThan(3 * 2_000);
  expect(large.work).toBeLessThan(3 * 20_000);
});

test("what is drawn stays where it is when a conversation goes on and a branch begins", () => {
  const before = long(200, 4);
  const at = before.nodes.length;
  const more: Drawing = {
    ...before,
    nodes: [
      ...before.nodes,
      { id: at + 1, shape: "user", branch: 0, predecessor: 100, link: "next", opened: [] },
      { id: at + 2, shape: "user", branch: 5, predecessor: 100, link: "fork", opened: [] },
    ],
    branches: [...before.branches, { head: at + 2, internal: false, merged: false, elsewhere: null }],
  };
  const [old, now] = [layOut(before), layOut(more)];

  expect([...old.places].map(([name]) => now.places.get(name))).toEqual([...old.places.values()]);
});
