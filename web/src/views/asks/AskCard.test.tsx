import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Ask } from "../../api/asks";
import { AskCard } from "./AskCard";

afterEach(cleanup);

const ASK: Ask = {
  ask_id: "a1",
  kind: "approval",
  session_id: "s2",
  agent: "bob_12345678",
  profile: "bob",
  tool: "send_message",
  action: "message",
  resource: "parent",
  to: "s1",
  text: "may I?\u202e",
  options: [],
  requested_us: 0,
  due_us: null,
  message_id: "",
  branch_id: "b2",
  root_session_id: "s1",
};

function show(ask: Ask): void {
  const queries = new QueryClient();
  queries.setQueryData(["conversation", "s1"], {
    sessionId: "s1",
    rootSessionId: "s1",
    activeBranchId: "b1",
    title: "Build it",
  });
  render(
    <QueryClientProvider client={queries}>
      <AskCard ask={ask} id="x" onFocus={() => {}} />
    </QueryClientProvider>,
  );
}

it("says who wants what of whom, and shows what hides in the text", () => {
  show(ASK);
  const card = screen.getByRole("article", { name: "Approval of bob_12345678" });
  expect(card.textContent).toContain("send_message");
  expect(card.textContent).toContain("ToBuild it");
  expect(card.textContent).toContain("may I?\\u{202e}");
});

it("asks for a reason before it denies", () => {
  show(ASK);
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Deny …" }));
  expect(screen.getByLabelText(/Reason/)).toBe(document.activeElement);
});

it("offers the options of a question beside own words", () => {
  show({ ...ASK, kind: "question", options: ["blue", "green"] });
  expect(screen.getByRole("group", { name: "Options" }).textContent).toContain("bluegreen");
  expect(screen.getByRole("button", { name: "Answer" })).toHaveProperty("disabled", true);
  expect(screen.queryByRole("button", { name: "Approve once" })).toBeNull();
});
