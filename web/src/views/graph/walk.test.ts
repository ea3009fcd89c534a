import { describe, expect, test } from "vitest";
import { layOut } from "./layout";
import { drawingOf, scene } from "./sceneFiles";
import { type Way, walk, wayOf } from "./walk";

const layout = layOut(drawingOf(scene("06-three-branches.json")));
const steps = (from: string, ...ways: Way[]) => ways.reduce((at, way) => walk(layout, at, way, "n10"), from);

describe("walking through a graph by keys", () => {
  test("up and down follow the conversation", () => {
    expect(steps("n2", "up")).toBe("n1");
    expect(steps("n2", "down")).toBe("n3");
    expect(steps("n14", "up", "up")).toBe("n4");
  });

  test("left and right go to the branches beside", () => {
    expect(steps("n3", "right")).toBe("n11");
    expect(steps("n11", "left")).toBe("n3");
    expect(steps("n15", "left")).toBe("n7");
  });

  test("it stays at the ends", () => {
    expect(steps("n0", "up")).toBe("n0");
    expect(steps("n16", "down", "right")).toBe("n16");
    expect(steps("n10", "down")).toBe("n10");
  });

  test("home is the root and end the head", () => {
    expect(steps("n14", "first")).toBe("n0");
    expect(steps("n14", "last")).toBe("n10");
  });

  test("every node can be reached from every other one", () => {
    const ways: Way[] = ["up", "down", "left", "right"];
    const seen = new Set(["n0"]);
    for (const at of seen) for (const way of ways) seen.add(walk(layout, at, way, "n10"));

    expect(seen.size).toBe(layout.places.size);
  });

  test("the calls of an opened turn lie to its right, and lead to the agent that one made", () => {
    const opened = layOut(drawingOf(scene("11-folding.json")));

    expect(walk(opened, "n2", "right", "n40")).toBe("c20");
    expect(walk(opened, "n5", "up", "n40")).toBe("c21");
  });

  test("other keys go nowhere", () => {
    expect(["ArrowUp", "End", "x"].map(wayOf)).toEqual(["up", "last", null]);
  });
});
