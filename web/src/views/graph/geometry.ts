import type { Line, Place } from "./layout";

/** How far two things on the lattice stand from each other. */
export const STEP = 72;
/** How large a node is drawn. */
export const SIZE = 36;

/** The middle of a place. */
export const centre = (place: Place): { x: number; y: number } => ({
  x: place.column * STEP,
  y: place.row * STEP,
});

/** The way of a line from one place to another: what is beside the order of a conversation keeps out of its way. */
export function pathOf(kind: Line["kind"], from: Place, to: Place): string {
  const [a, b] = [centre(from), centre(to)];
  if (kind === "same" || kind === "call") return `M ${a.x} ${a.y} L ${b.x} ${b.y}`;
  if (kind === "fork") return `M ${a.x} ${a.y} Q ${b.x} ${a.y} ${b.x} ${b.y}`;
  if (kind === "return") {
    const out = Math.max(a.x, b.x) + STEP * 0.7;
    return `M ${a.x} ${a.y} C ${out} ${a.y} ${out} ${b.y} ${b.x} ${b.y}`;
  }
  if (kind === "merge")
    return `M ${a.x} ${a.y} C ${a.x} ${a.y + STEP * 0.7} ${b.x + STEP * 0.7} ${b.y + STEP * 0.5} ${b.x} ${b.y}`;
  const bend = STEP * 0.6;
  return `M ${a.x} ${a.y} Q ${(a.x + b.x) / 2} ${(a.y + b.y) / 2 - bend} ${b.x} ${b.y}`;
}

/** The class that gives the n-th branch its colour. */
export const colourClass = (colour: number): string => `graph-colour-${colour % 8}`;
