import type { Schemas } from "../../api/client";
import { toMessage, toWhy } from "../../shell/links";

type Who = Schemas["Who"];

/** A part of a step: words, an agent, a thing that one can go to, a moment, or money. */
export type Piece =
  | { readonly as: "words"; readonly text: string }
  | { readonly as: "foreign"; readonly text: string }
  | { readonly as: "who"; readonly who: Who; readonly row?: string }
  | { readonly as: "link"; readonly text: string; readonly id: string; readonly href: string }
  | { readonly as: "state"; readonly state: string }
  | { readonly as: "moment"; readonly us: number }
  | { readonly as: "money"; readonly micros: number };

/** A step of the chain with what hangs on it. */
export type Step = {
  readonly word: string;
  readonly pieces: readonly Piece[];
  readonly steps: readonly Step[];
};

const ID_TAIL = 8;

/** Our own words. */
export const words = (text: string): Piece => ({ as: "words", text });
/** What an agent, a person or a plugin wrote; it is never taken for our own words. */
export const foreign = (text: string): Piece => ({ as: "foreign", text });
/** Somebody; with a message or turn what is meant of their transcript. */
export const whom = (who: Who, row?: string): Piece => ({
  as: "who",
  who,
  ...(row && who.by === "agent" && { row }),
});
/** How it stands. */
export const state = (of: string): Piece => ({ as: "state", state: of });
/** When it was. */
export const moment = (us: number): Piece => ({ as: "moment", us });
/** What it has cost. */
export const money = (micros: number): Piece => ({ as: "money", micros });

/** A message that one can open. */
export function aMessage(kind: string, id: string): Piece {
  return { as: "link", text: `${kind} …${id.slice(-ID_TAIL)}`, id, href: toMessage(id) };
}

/** A turn, call or ask, of which one can ask why in turn. */
export function aThing(kind: string, id: string): Piece {
  const isShort = id.length <= 2 * ID_TAIL;
  return {
    as: "link",
    text: isShort ? `${kind} ${id}` : `${kind} …${id.slice(-ID_TAIL)}`,
    id,
    href: toWhy(id),
  };
}

/** A step; pieces that are not there are left out. */
export function step(word: string, pieces: readonly (Piece | null)[], steps: readonly Step[] = []): Step {
  return { word, pieces: pieces.filter((piece) => piece !== null), steps };
}
