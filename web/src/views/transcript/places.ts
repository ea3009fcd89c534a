import { api, Told, taken } from "../../api/client";

/** How the place behind an item is named where a conversation is cut. */
export async function placeOf(node: number, branch: string): Promise<string> {
  const params = { path: { node }, query: { branch } };
  const { place } = taken(await api.GET("/api/v1/nodes/{node}", { params }));
  if (!place) throw new Told("no_place", "the conversation cannot be cut there", "choose another row");
  return place;
}

/** The place in front of an item, named by the place behind it; `null` where that is no number. */
export function inFrontOf(place: string): string | null {
  return /^[1-9]\d*$/.test(place) ? String(Number(place) - 1) : null;
}
