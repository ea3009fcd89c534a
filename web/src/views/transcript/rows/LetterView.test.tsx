import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { letter } from "../fixtures";
import { LetterView } from "./LetterView";

test("the result of a task that failed says why, though it has no text", () => {
  const { container } = render(
    <LetterView
      letter={letter({ message_kind: "result", text: "", outcome: "failed", code: "model_auth: no key" })}
    />,
  );
  expect(container.textContent).toContain("failed: model_auth: no key");
});
