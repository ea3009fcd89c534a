import { describe, expect, it } from "vitest";
import { heardAfter } from "./Announcer";
import { answer, mailIn, waiting } from "./fixtures";

describe("what a screen reader says", () => {
  it("is nothing of what is there when the page opens, and each row that comes after it", () => {
    const opened = heardAfter({ newest: "", text: "" }, [answer(1)]);
    const then = heardAfter(opened, [answer(1), mailIn(2), answer(3, { text: "done" }), waiting("a")]);

    expect(opened.text).toBe("");
    expect(then.text).toBe("Mail from writer. Answer: done");
    expect(heardAfter(then, [answer(0), answer(1), mailIn(2), answer(3)])).toBe(then);
  });
});
