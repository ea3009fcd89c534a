import { describe, expect, it } from "vitest";
import { event } from "./samples";
import type { TextPiece } from "./stream";
import { joined, NO_TEXTS, settled } from "./texts";

function piece(text: string, more: Partial<TextPiece> = {}): TextPiece {
  return { branch_id: "b1", turn_id: "t1", round: 1, attempt: 1, text, ...more };
}

describe("a text that streams", () => {
  it("is put together from its pieces, for each agent by itself", () => {
    const texts = joined(NO_TEXTS, [piece("he"), piece("ho", { branch_id: "b2" }), piece("llo")]);
    expect([texts.get("b1")?.text, texts.get("b2")?.text]).toEqual(["hello", "ho"]);
  });

  it("begins anew with another attempt, round or turn", () => {
    const begun = joined(NO_TEXTS, [piece("he")]);
    expect(joined(begun, [piece("so", { attempt: 2 })]).get("b1")?.text).toBe("so");
    expect(joined(begun, [piece("so", { round: 2 })]).get("b1")?.text).toBe("so");
    expect(joined(begun, [piece("so", { turn_id: "t2" })]).get("b1")?.text).toBe("so");
  });

  it("takes nothing of an attempt or round that is over", () => {
    const begun = joined(NO_TEXTS, [piece("so", { round: 2, attempt: 2 })]);
    const late = [piece("he", { round: 2 }), piece("he", { attempt: 9 })];
    expect(joined(begun, late).get("b1")?.text).toBe("so");
  });

  it("goes when its answer is committed, or its turn ends", () => {
    const begun = joined(NO_TEXTS, [piece("he", { round: 2 })]);
    const committed = event(1, "answer.committed", { facts: { round: 2 } });
    expect(settled(begun, [committed]).size).toBe(0);
    expect(settled(begun, [event(1, "turn.ended")]).size).toBe(0);
  });

  it("stays when the answer of an earlier round is committed, or another agent's", () => {
    const begun = joined(NO_TEXTS, [piece("he", { round: 2 })]);
    const others = [
      event(1, "answer.committed", { facts: { round: 1 } }),
      event(2, "answer.committed", { branch_id: "b2", facts: { round: 2 } }),
    ];
    expect(settled(begun, others)).toBe(begun);
  });
});
