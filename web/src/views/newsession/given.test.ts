import { expect, test } from "vitest";
import { choiceOf, type Fields, givenOf } from "./given";

const fields: Fields = {
  text: "look",
  choice: "",
  cwd: " ",
  mode: "",
  attended: true,
  tokens: "",
  dollars: "",
};

test("what is left empty is left to the team", () => {
  expect(givenOf(fields, "c-1")).toEqual({ text: "look", attended: true, client_id: "c-1" });
});

test("a profile is chosen with its team, and budgets in tokens and dollars", () => {
  const chosen = {
    ...fields,
    choice: choiceOf("/teams/a", "writer"),
    mode: "yolo",
    tokens: "0",
    dollars: "0.50",
  };
  expect(givenOf(chosen, "c-1")).toMatchObject({
    team: "/teams/a",
    profile: "writer",
    mode: "yolo",
    max_tokens: 0,
    max_cost_usd: "0.50",
  });
});

test("the daemon's own team needs no folder, and a mode that there is not is none", () => {
  const given = givenOf({ ...fields, choice: choiceOf("", "writer"), mode: "wild" }, "c-1");
  expect(given.profile).toBe("writer");
  expect(given).not.toHaveProperty("team");
  expect(given).not.toHaveProperty("mode");
});
