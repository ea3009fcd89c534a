import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { DeadRow } from "./DeadRow";

afterEach(cleanup);

const LETTER = {
  message_id: "m1",
  kind: "result",
  mode: "steer",
  sender: "bob",
  sender_address: "",
  recipient: "ann",
  recipient_address: "",
  state: "discarded",
  reason: "quarantined",
  created_us: 0,
  ended_us: 0,
  attempts: 0,
  excerpt: "",
  body_chars: 0,
  outcome: "failed",
  code: "round_cap",
  retriable: false,
  retried_as: "",
};

it("tells of failed work why, where a result of it has no text and where it has one", () => {
  const queries = new QueryClient();
  render(
    <QueryClientProvider client={queries}>
      <DeadRow letter={LETTER} onChanged={() => {}} />
      <DeadRow letter={{ ...LETTER, excerpt: "So far." }} onChanged={() => {}} />
    </QueryClientProvider>,
  );
  expect(screen.getAllByText("failed: at the cap on rounds")).toHaveLength(2);
  expect(screen.queryByText("(no text)")).toBeNull();
});
