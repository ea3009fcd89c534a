import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Pruned } from "./Pruned";

it("says of a text that was pruned how long it was, and its hash (G12)", () => {
  const { container } = render(<Pruned bytes={2_048} sha256="2cf24dba" />);
  expect(container.textContent).toBe("This text was pruned. It had 2.0 KiB; its SHA-256 is 2cf24dba.");
});
