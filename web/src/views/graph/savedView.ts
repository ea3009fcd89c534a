import type { Viewport } from "@xyflow/react";
import { STEP } from "./geometry";
import type { Layout } from "./layout";

/** How near and how far a graph can be looked at. */
export const ZOOM_MIN = 0.25;
/** 300 %. */
export const ZOOM_MAX = 3;

const keyOf = (session: string): string => `postroom.graph.${session}`;

/** How a session was looked at last in this tab. */
export function savedView(session: string): Viewport | null {
  try {
    const view = JSON.parse(sessionStorage.getItem(keyOf(session)) ?? "null") as Partial<Viewport> | null;
    if (view === null || ![view.x, view.y, view.zoom].every(Number.isFinite)) return null;
    return view as Viewport;
  } catch {
    return null; // a store that is not there, or that another hand has written to
  }
}

/** Remembers how a session is looked at, for this tab. */
export function saveView(session: string, view: Viewport): void {
  try {
    sessionStorage.setItem(keyOf(session), JSON.stringify(view));
  } catch {
    // A browser that keeps nothing forgets the view; nothing else is lost.
  }
}

/** Whether anything that is drawn would be seen so. */
export function showsAny(view: Viewport, layout: Layout, width: number, height: number): boolean {
  for (const { column, row } of layout.places.values()) {
    const [x, y] = [column * STEP * view.zoom + view.x, row * STEP * view.zoom + view.y];
    if (x > 0 && y > 0 && x < width && y < height) return true;
  }
  return false;
}

/** The first look at a graph: all of it where that can be read, else its head near the lower end. */
export function firstView(layout: Layout, head: string, width: number, height: number): Viewport {
  const [wide, high] = [(layout.columns + 1) * STEP, (layout.rows + 1) * STEP];
  const zoom = Math.min(1, width / wide, height / high);
  if (zoom >= 0.6) return { x: (width - (layout.columns - 1) * STEP * zoom) / 2, y: STEP * zoom, zoom };
  const at = layout.places.get(head) ?? { column: 0, row: 0 };
  const x = wide <= width ? (width - wide) / 2 + STEP : Math.min(STEP, width * 0.6 - at.column * STEP);
  return { x, y: height * 0.7 - at.row * STEP, zoom: 1 };
}
