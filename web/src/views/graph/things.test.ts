import { expect, describe as group, test } from "vitest";
import type { LogEvent } from "../../api/live";
import { layOut } from "./layout";
import type { Graph, GraphBranch, GraphNode } from "./model";
import { firstView, savedView, saveView, showsAny } from "./savedView";
import { describe, thingsOf } from "./things";
import { concernsGraph } from "./useGraph";

const NODE: GraphNode = {
  id: 1,
  shape: "user",
  branch: 0,
  predecessor: 0,
  link: "root",
  status: "done",
  provenance: "user",
  agent: "user",
  preview: "the question",
  turn_id: "t",
  round: 1,
  message_id: "m",
  tokens: 0,
  created_us: 0,
  calls: 0,
  spawns: 0,
  failed: 0,
  replies: 0,
  covered: true,
  count: 1,
  opened: [],
};
const BRANCH: GraphBranch = {
  id: "b",
  label: "main",
  address: "s",
  name: "",
  parent: null,
  head: 2,
  drawn: true,
  state: "idle",
  active: true,
  internal: false,
  merged: false,
  archived: false,
  sealed: false,
  colour: 0,
  elsewhere: { session_id: "above", branch_id: "x", label: "maker" },
};
const GRAPH: Graph = {
  session_id: "s",
  title: "the work",
  branch: 0,
  head: 2,
  nodes: [
    NODE,
    {
      ...NODE,
      id: 2,
      shape: "llm",
      predecessor: 1,
      link: "next",
      agent: "ann",
      preview: "at work",
      status: "running",
      calls: 3,
      spawns: 1,
      replies: 1,
    },
  ],
  branches: [BRANCH],
  edges: [
    {
      id: "spawn-7",
      kind: "spawn",
      source: 2,
      target: null,
      branch: 0,
      status: "running",
      message_id: "",
      call: 7,
      elsewhere: { session_id: "below", branch_id: "y", label: "made" },
    },
  ],
  items: 2,
  hidden_branches: 0,
  forked_from: null,
};

group("what is drawn", () => {
  const layout = layOut(GRAPH);
  const things = thingsOf(GRAPH, layout);

  test("names and ways out are at their nodes", () => {
    expect(things.get("n2")?.badges).toEqual([0]);
    expect(things.get("n0")?.exits.map((exit) => exit.label)).toEqual(["maker"]);
    expect(things.get("n2")?.exits.map((exit) => exit.label)).toEqual(["made"]);
  });

  test("it can be said in words", () => {
    const words = [...things.values()].map((thing) => describe(GRAPH, thing));

    expect(words).toEqual([
      "Root of the session the work",
      "user said: the question, branch main",
      "llm ann: at work, branch main. head, running, 3 calls, 1 of them made an agent, answers that came back: 1",
    ]);
  });

  test("it is looked at first whole where that fits, else at its head", () => {
    expect(firstView(layout, "n2", 800, 600).zoom).toBe(1);
    expect(firstView(layout, "n2", 90, 90)).toMatchObject({ zoom: 1, y: 90 * 0.7 - 2 * 72 });
    expect(showsAny(firstView(layout, "n2", 90, 90), layout, 90, 90)).toBe(true);
  });
});

group("a view", () => {
  test("is kept for each session", () => {
    saveView("one", { x: 1, y: 2, zoom: 0.5 });

    expect(savedView("one")).toEqual({ x: 1, y: 2, zoom: 0.5 });
    expect(savedView("other")).toBeNull();
  });

  test("that somebody else has written is none", () => {
    sessionStorage.setItem("postroom.graph.bad", '{"x": "1"}');
    sessionStorage.setItem("postroom.graph.worse", "{");

    expect([savedView("bad"), savedView("worse")]).toEqual([null, null]);
  });
});

group("an event concerns a graph", () => {
  const event = (kind: string, session: string) => ({ kind, session_id: session }) as LogEvent;

  test("that changes what is drawn of the session", () => {
    expect(concernsGraph(event("nodes.appended", "s"), "s")).toBe(true);
    expect(concernsGraph(event("message.consumed", "s"), "s")).toBe(true);
    expect(concernsGraph(event("todo.changed", "s"), "s")).toBe(false);
    expect(concernsGraph(event("turn.ended", "other"), "s")).toBe(false);
  });

  test("also where a task ends that it was given in another session", () => {
    expect(concernsGraph(event("task.ended", "other"), "s")).toBe(true);
  });
});
