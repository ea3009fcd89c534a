import { describe, expect, it } from "vitest";
import { heading } from "./fixtures";
import { budgetLeft, doingWords, modeWords } from "./words";

describe("words about an agent", () => {
  it("say what becomes of a text, by how the agent stands", () => {
    expect(modeWords(heading()).steer).toContain("joins the running turn");
    expect(modeWords(heading({ state: "idle", turn_id: "" })).steer).toBe("begins a turn");
    expect(modeWords(heading({ state: "paused", turn_id: "" })).queue).toContain("ends the pause");
  });

  it("say what it does now", () => {
    const doing = { what: "waits" as const, tools: ["agent"], waits_for: ["user", "b"] };

    expect(doingWords(heading({ doing }))).toBe("waits for you, b");
  });

  it("give the scarcest of the budgets", () => {
    const chain = {
      chain: 1,
      turns: 1,
      turns_max: 10,
      tokens: 75,
      tokens_max: 100,
      cost_micros: 0,
      cost_micros_max: null,
    };
    expect(budgetLeft(chain)).toBe(0.25);
    expect(budgetLeft({ ...chain, turns_max: null, tokens_max: null })).toBeNull();
  });
});
