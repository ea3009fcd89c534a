import { describe, expect, it } from "vitest";
import { heading } from "./fixtures";
import { shownText } from "./liveText";

const TEXT = { turn_id: "t1", round: 2, attempt: 1, text: "so far" };

describe("the answer that streams", () => {
  it("is shown as it comes", () => {
    expect(shownText(null, TEXT, heading({ rounds: 1 }))).toBe(TEXT);
  });

  it("stays until the committed one is here, although the stream has forgotten it", () => {
    expect(shownText(TEXT, null, heading({ rounds: 1 }))).toBe(TEXT);
    expect(shownText(TEXT, null, heading({ rounds: 2 }))).toBeNull();
  });

  it("is never there beside the committed one", () => {
    expect(shownText(TEXT, TEXT, heading({ rounds: 2 }))).toBeNull();
  });

  it("goes with its turn", () => {
    expect(shownText(TEXT, null, heading({ turn_id: "" }))).toBeNull();
  });

  it("is shown of a turn that is newer than the page", () => {
    expect(shownText(null, TEXT, heading({ turn_id: "t0", rounds: 9 }))).toBe(TEXT);
  });
});
