import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { agent, at, entry, person } from "./entries.testing";
import { layLanes } from "./lanes";
import { MailRow } from "./MailRow";

function shown(one: ReturnType<typeof entry>) {
  const { lanes, rows } = layLanes([one]);
  const { container } = render(
    <ol>
      <MailRow entry={one} lanes={lanes} row={rows[0]} />
    </ol>,
  );
  return { container, row: within(screen.getAllByRole("listitem").at(-1) ?? container) };
}

test("a row says in words what its arrow shows, and its text opens the message", () => {
  const { row, container } = shown(
    entry(person, [at(agent("ann"))], { message_id: "m 1", preview: "hello" }),
  );
  expect(container.textContent).toMatch(/You.*to.*ann.*mail, steer.*consumed.*read after 0 ms.*hello/);
  expect(row.getByRole("link", { name: "hello" }).getAttribute("href")).toBe("/messages/m%201");
  expect(row.getByRole("link", { name: "ann" }).getAttribute("href")).toBe("/agents/ann?row=m%201");
  expect(container.querySelector("svg")?.getAttribute("aria-hidden")).toBe("true");
});

test("names and texts are text, kept apart, and what would turn them around is to be seen", () => {
  const hostile = '<img src=x onerror="alert(1)"> \u202eevil';
  const seen = hostile.replace("\u202e", "\\u{202e}");
  const { container } = shown(entry(agent(hostile), [at(agent("שלום"))], { preview: hostile }));
  expect(container.querySelector("img")).toBeNull();
  expect([...container.querySelectorAll("bdi")].map((name) => name.textContent)).toEqual([
    seen,
    "שלום",
    seen,
  ]);
});

test("the result of work that failed says why, where it has no text and where it has one", () => {
  const failed = { kind: "result", outcome: "failed", code: "model_auth: no key" };
  const { row } = shown(entry(agent("bob"), [at(agent("ann"))], { ...failed, preview: "" }));
  expect(row.getByRole("link", { name: "failed: model_auth: no key" })).toBeTruthy();
  const { container } = shown(entry(agent("bob"), [at(agent("ann"))], { ...failed, preview: "half of it" }));
  expect(container.textContent).toContain("half of it failed: model_auth: no key");
});

test("a message to many names the first and counts the rest", () => {
  const many = Array.from({ length: 9 }, (_, index) => at(agent(`worker ${index}`)));
  const { container } = shown(entry(agent("ann"), many));
  expect(container.textContent).toContain("and 6 more");
  expect(container.textContent).toContain("9 × ");
});
