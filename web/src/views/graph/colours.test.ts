import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const css = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
const BASE = css("../../styles/base.css");
const GRAPH = css("graph.css");

/** The value of a colour variable in the light and in the dark scheme. */
function schemes(sheet: string, name: string): [light: string, dark: string] {
  const [, light, dark] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(sheet) ?? [];
  if (!light || !dark) throw new Error(`no colour --${name}`);
  return [light, dark];
}

/** WCAG 2: how bright a colour is. */
function brightness(hex: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const NAMES = Array.from({ length: 8 }, (_, n) => `graph-${n}`);

describe.each(["ground", "panel"])("on the %s", (under) => {
  const [light, dark] = schemes(BASE, under);

  test.each([...NAMES, "graph-aside"])("%s can be read in both schemes", (name) => {
    const [inLight, inDark] = schemes(GRAPH, name);

    expect(contrast(inLight, light)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(inDark, dark)).toBeGreaterThanOrEqual(4.5);
  });
});

test("every branch has a colour of its own, and none is that of a failure", () => {
  const colours = [...NAMES.map((name) => schemes(GRAPH, name)), schemes(BASE, "bad")];

  for (const scheme of [0, 1] as const) {
    expect(new Set(colours.map((colour) => colour[scheme])).size).toBe(colours.length);
  }
});

test("the strokes are as they are specified", () => {
  const rule = (name: string) => new RegExp(`\\.${name} \\{([^}]*)\\}`).exec(GRAPH)?.[1] ?? "";

  expect(rule("graph-line-fork")).toContain("stroke-dasharray: 6 4");
  expect(rule("graph-line-merge")).toContain("stroke-width: 2.4");
  expect(rule("graph-line-return")).toContain("stroke-dasharray: 4 4");
  expect(rule("graph-line-sent,\n.graph-line-replied")).toContain("stroke-dasharray: 1 5");
  expect(rule("graph-glow")).toContain("2.4s");
  expect(GRAPH).toContain("--graph-cancelled: #808080");
});
