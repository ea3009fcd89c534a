import { expect, it } from "vitest";
import { answer, mailIn } from "./fixtures";
import { rowMeant } from "./target";

const rows = [mailIn(1), answer(2), answer(3)];

it("finds the row that an address means by its id and by its item", () => {
  expect(rowMeant(rows, "answer:3")).toBe("answer:3");
  expect(rowMeant(rows, "2")).toBe("answer:2");
});

it("finds the row that holds a message, and the first of a turn", () => {
  const [mail] = rows;
  if (mail?.kind !== "mail_in") throw new Error("the first is mail");
  expect(rowMeant(rows, mail.parts[0]?.message_id ?? "")).toBe(mail.id);
  expect(rowMeant(rows, mail.turn_id)).toBe(mail.id);
});

it("finds nothing where nothing is meant or held", () => {
  expect(rowMeant(rows, "")).toBeNull();
  expect(rowMeant(rows, "99")).toBeNull();
});
