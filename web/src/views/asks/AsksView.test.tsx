import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Ask } from "../../api/asks";
import { Hub } from "../../api/hub";
import { KEYS } from "../../api/keys";
import { LiveProvider } from "../../api/live";
import { setCharactersKeys } from "../../shell/useKeys";
import AsksView from "./AsksView";

afterEach(() => {
  cleanup();
  localStorage.clear();
});

function ask(id: string): Ask {
  return {
    ask_id: id,
    kind: "approval",
    session_id: "s1",
    agent: id,
    profile: "ann",
    tool: "send_message",
    action: "message",
    resource: "child",
    to: "",
    text: "",
    options: [],
    requested_us: 0,
    due_us: null,
    message_id: "",
    branch_id: "b1",
    root_session_id: "s1",
  };
}

function show(...asks: Ask[]): void {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(KEYS.asks, asks);
  queries.setQueryData(["conversation", "s1"], { sessionId: "s1", rootSessionId: "s1", title: "Build" });
  const quiet = { addEventListener: () => {}, close: () => {} };
  const hub = new Hub({ dial: () => quiet, whyNot: async () => null });
  render(
    <QueryClientProvider client={queries}>
      <LiveProvider hub={hub}>
        <AsksView />
      </LiveProvider>
    </QueryClientProvider>,
  );
}

const press = (key: string, more = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
const focused = () => document.activeElement?.getAttribute("aria-label");

it("goes from ask to ask and stops at the last", () => {
  show(ask("one"), ask("two"));
  press("j");
  expect(focused()).toBe("Approval of one");
  press("j");
  press("j");
  expect(focused()).toBe("Approval of two");
  press("k");
  expect(focused()).toBe("Approval of one");
});

it("denies only what the focus is on", () => {
  show(ask("one"), ask("two"));
  press("d");
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
  press("j");
  press("j");
  press("d");
  const reason = screen.getByLabelText(/Reason/);
  expect(reason.closest("article")?.getAttribute("aria-label")).toBe("Approval of two");
});

it("says which keys there are", () => {
  show();
  press("?");
  expect(screen.getByText("approve once")).toBeDefined();
  expect(screen.getByText("No agent asks for anything.")).toBeDefined();
});

it("does nothing by a key that the person writes, holds, or gives to the browser", () => {
  show(ask("one"));
  press("ArrowDown");
  press("d", { ctrlKey: true });
  press("d", { repeat: true });
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
  press("d");
  press("d");
  expect(screen.getByLabelText(/Reason/)).toBe(document.activeElement);
});

it("does nothing by a character where the person has turned that off, and goes on by arrows", () => {
  setCharactersKeys(false);
  show(ask("one"));
  for (const key of ["j", "?"]) press(key);
  expect(document.activeElement).toBe(document.body);
  expect(screen.queryByText("approve once")).toBeNull();
  press("ArrowDown");
  expect(focused()).toBe("Approval of one");
  for (const key of ["a", "d"]) press(key);
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
});
