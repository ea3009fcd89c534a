import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { BoardAgent } from "../../api/board";
import { AgentRow } from "./AgentRow";

afterEach(cleanup);

const AGENT: BoardAgent = {
  branch_id: "b1",
  session_id: "s1",
  label: "ann",
  handle: "",
  name: "",
  address: "s1",
  profile: "ann",
  parent_branch_id: "",
  depth: 0,
  is_root: true,
  state: "running",
  doing: {
    kind: "model",
    since_us: 0,
    round: 2,
    rounds_max: 9,
    tool: "",
    waits_for: [],
    provider_wait: null,
  },
  unread: 0,
  parked: 0,
  oldest_unread_us: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: 0,
  unpriced: 0,
  end_reason: "",
  task_id: "",
  task: "",
  background: 0,
  open_asks: 0,
};
const BOB: BoardAgent = { ...AGENT, branch_id: "b2", label: "bob", address: "bob", is_root: false, depth: 1 };

function show(...agents: BoardAgent[]): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ul>
        {agents.map((agent) => (
          <AgentRow key={agent.branch_id} agent={agent} />
        ))}
      </ul>
    </QueryClientProvider>,
  );
}

it("says what an agent does, in which round, and what lies unread since when", () => {
  const oldest_unread_us = (Date.now() - 65_000) * 1_000;
  show({ ...AGENT, unread: 3, oldest_unread_us });
  const row = screen.getByRole("listitem", { name: "ann" });
  expect(row.textContent).toContain("asks its model");
  expect(row.textContent).toContain("round 2/9");
  expect(row.textContent).toContain("3 unread, oldest 1 min 5 s");
});

it("names whom an agent waits for, and points at it", () => {
  const waits_for = [{ what: "task" as const, id: "t_1", branch_id: "b2", label: "bob" }];
  show({ ...AGENT, doing: { ...AGENT.doing, kind: "wait", waits_for } }, BOB);
  const other = screen.getByRole("listitem", { name: "bob" });
  expect(other.className).not.toContain("team-pointed");
  fireEvent.focus(screen.getByText("bob", { selector: ".team-waits bdi" }));
  expect(other.className).toContain("team-pointed");
});

it("says for how long a provider is waited for", () => {
  const provider_wait = { code: "model_overloaded", until_us: (Date.now() + 30_000) * 1_000 };
  show({ ...AGENT, doing: { ...AGENT.doing, provider_wait } });
  expect(screen.getByRole("listitem", { name: "ann" }).textContent).toContain("model_overloaded");
});

it("offers a resume only to one that is paused or has something parked", () => {
  show({ ...AGENT, state: "paused", doing: { ...AGENT.doing, kind: "paused" } });
  fireEvent.click(screen.getByRole("button", { name: "Actions for ann" }));
  expect(screen.getByRole("button", { name: "Resume" })).toHaveProperty("disabled", false);
  expect(screen.getByRole("button", { name: "Stop it and all below" })).toHaveProperty("disabled", true);
});
