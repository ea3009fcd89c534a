import { cleanup, render } from "@testing-library/react";
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
