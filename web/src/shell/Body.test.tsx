import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Body } from "./Body";

afterEach(cleanup);

const HOSTILE = `<script>alert(1)</script> <img src=x onerror=alert(1)>

[run](javascript:alert(1)) [file](file:///etc/passwd) [away](https://example.com)

![picture](https://example.com/track.png)`;

it("shows markup as text, fetches nothing, and links only to the web and to mail", () => {
  const { container } = render(<Body text={HOSTILE} />);
  expect(container.querySelectorAll("script, img, iframe")).toHaveLength(0);
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["https://example.com"]);
  expect(links[0]?.rel).toBe("noopener noreferrer");
  expect(container.textContent).toContain("<script>alert(1)</script>");
});

const TABLE = `| what | how |
|---|---:|
| <img src=x onerror=alert(1)> | [run](javascript:alert(1)) |
| ![p](https://evil.example/a.png) | https://example.com/b |

- [x] built ~~twice~~
- [ ] told`;

it("shows tables, tasks and struck words, and takes their cells for no more than texts", () => {
  const { container } = render(<Body text={TABLE} />);
  expect(container.querySelectorAll("th, td")).toHaveLength(6);
  expect(container.querySelectorAll("script, img, input, iframe")).toHaveLength(0);
  expect([...container.querySelectorAll("a")].map((link) => link.rel)).toEqual(["noopener noreferrer"]);
  expect(container.querySelector("del")?.textContent).toBe("twice");
  expect([...container.querySelectorAll("li")].map((item) => item.textContent?.trim())).toEqual([
    "☑ done: built twice",
    "☐ open: told",
  ]);
  expect(screen.getByRole("region", { name: "Table" }).tabIndex).toBe(0);
});

it("gives no text an address of the page: what would be a note stays as it was written", () => {
  const { container } = render(<Body text={"see[^main]\n\n[^main]: a note"} />);
  expect(container.querySelectorAll("[id], a")).toHaveLength(0);
  expect(container.textContent).toContain("[^main]: a note");
});

it.each([
  ["marks", "*".repeat(50_000)],
  ["cells", "|".repeat(50_000)],
  ["pairs", "*a_".repeat(3_000)],
  ["quotes", ">".repeat(2_000)],
  ["lists in lists", "+ ".repeat(2_000)],
  ["rows to fill", `${"|a".repeat(400)}|\n${"|-".repeat(400)}|\n${"|\n".repeat(2_000)}`],
])("shows a text of too many %s as it was written", (_, text) => {
  const { container } = render(<Body text={text} />);
  expect(container.querySelectorAll(".body *")).toHaveLength(0);
  expect(container.textContent).toBe(text);
});

it("reads a long report with its tables as Markdown", () => {
  const row = "| a name | a few words of what it is | 12 |\n";
  const { container } = render(<Body text={`| a | b | c |\n|---|---|---|\n${row.repeat(300)}`} />);
  expect(container.querySelectorAll("tr")).toHaveLength(301);
});
