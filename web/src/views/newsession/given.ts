import type { Schemas } from "../../api/client";

type Given = Schemas["SessionGiven"];
type Mode = Schemas["ApprovalMode"];

/** Who decides what agents ask, in the words of a person. */
export const MODES: readonly (readonly [mode: Mode, words: string])[] = [
  ["ask", "ask me"],
  ["auto_approve", "a model decides, and asks me when in doubt"],
  ["auto_approve_n", "a model decides; in doubt it says no"],
  ["auto_approve_y", "a model decides; in doubt it says yes"],
  ["yolo", "allow everything that no rule denies"],
];

/** The fields of the form, as they were written. */
export type Fields = {
  readonly text: string;
  /** A team and a profile of it; empty for the daemon's own. */
  readonly choice: string;
  readonly cwd: string;
  readonly mode: string;
  readonly attended: boolean;
  readonly tokens: string;
  readonly dollars: string;
};

const APART = "\n";

/** A profile of a team as the value of a choice; a folder holds no line break. */
export const choiceOf = (team: string, profile: string): string => `${team}${APART}${profile}`;

/** What is asked of the daemon. What was left empty is left to the team. */
export function givenOf(fields: Fields, clientId: string): Given {
  const [team = "", profile = ""] = fields.choice.split(APART);
  const mode = MODES.find(([one]) => one === fields.mode)?.[0];
  const tokens = fields.tokens.trim();
  const dollars = fields.dollars.trim();
  return {
    text: fields.text,
    attended: fields.attended,
    client_id: clientId,
    ...(team && { team }),
    ...(profile && { profile }),
    ...(fields.cwd.trim() && { cwd: fields.cwd.trim() }),
    ...(mode && { mode }),
    ...(tokens && { max_tokens: Number(tokens) }),
    ...(dollars && { max_cost_usd: dollars }),
  };
}
