import { createContext, useContext } from "react";
import type { Heading } from "./model";

/** What the rows of a transcript need to know of the agent that they belong to. */
export type Desk = {
  readonly heading: Heading;
  /** Go back to an item; with a text to in front of it, to say something else in its place. */
  readonly goBack: (nodeId: number, text?: string) => void;
};

export const DeskContext = createContext<Desk | null>(null);

/** The desk of the transcript; null where rows stand elsewhere. */
export const useDesk = (): Desk | null => useContext(DeskContext);
