import { useState } from "react";
import { type LiveText, useText } from "../../api/live";
import type { Heading } from "./model";

/**
 * What of a streaming answer is shown. The stream forgets it the moment it is committed, which is before the
 * committed one is here: it is kept until then, and gone in the same draw in which that one stands there.
 */
export function shownText(
  kept: LiveText | null,
  live: LiveText | null,
  heading: Heading | undefined,
): LiveText | null {
  const text = live ?? kept;
  if (text === null || heading === undefined) return null;
  if (heading.turn_id === text.turn_id) return heading.rounds >= text.round ? null : text;
  return live; // its turn is over, or so new that the page does not know it yet
}

/** The answer of an agent as it streams, without a gap before the committed one. */
export function useLiveAnswer(branchId: string, heading: Heading | undefined): LiveText | null {
  const live = useText(branchId);
  const [kept, keep] = useState<LiveText | null>(null);
  const shown = shownText(kept, live, heading);
  if (kept !== shown) keep(shown); // the state is made of what is drawn right now
  return shown;
}
