import { type PointerEvent, useRef } from "react";

// How long a movement of the hand may still move the view; a thumb on a scroll bar says nothing in between.
const WHEEL_MS = 1_000;
const TOUCH_MS = 3_000;
const DRAG_MS = 10_000;

/**
 * Whether the view goes along with what is added at its end: from when it is there until the person scrolls
 * away. Where it stands alone does not tell: rows grow when they are measured, and more come meanwhile.
 */
export function useFollow(isAtEnd: () => boolean) {
  const follows = useRef(true);
  const byHandUntilMs = useRef(0);
  const moved = (ms: number) => () => {
    byHandUntilMs.current = performance.now() + ms;
  };
  return {
    follows: () => follows.current,
    leave: () => {
      follows.current = false;
    },
    scrolled: () => {
      if (isAtEnd()) follows.current = true;
      else if (performance.now() < byHandUntilMs.current) follows.current = false;
    },
    hands: {
      onWheel: moved(WHEEL_MS),
      onKeyDown: moved(WHEEL_MS),
      onTouchMove: moved(TOUCH_MS),
      onPointerDown: (event: PointerEvent) => {
        if (event.target === event.currentTarget) moved(DRAG_MS)();
      },
    },
  };
}
