import type { LineKind } from "./layout";
import { SHAPE_NAMES, Shape } from "./Shape";

const LINES: readonly (readonly [kind: LineKind, name: string])[] = [
  ["same", "goes on, in the colour of its branch"],
  ["fork", "a branch begins"],
  ["merge", "a merged branch comes in"],
  ["return", "a result returns to the answer that asked for it"],
  ["sent", "a message, in the colour of whom it goes to; shown at its ends only"],
  ["call", "calls of an opened turn"],
];
const STATES: readonly (readonly [classes: string, name: string])[] = [
  ["graph-is-running", "running"],
  ["graph-is-error", "failed"],
  ["graph-is-error graph-is-aside", "failed, aside of the conversation in the foreground"],
  ["graph-is-cancelled", "cancelled or stopped"],
  ["graph-is-head", "head of the conversation in the foreground"],
  ["graph-is-covered", "its next request holds it"],
  ["", "it does not: summed up, or on another branch"],
];

const SIGNS: readonly (readonly [sign: string, name: string])[] = [
  ["3", "calls of a turn; a click shows them"],
  ["↩2", "answers that came back by themselves and are part of the node"],
  ["↗", "leads into another session"],
  ["⟲", "a branch that a revert has left"],
  ["▣", "an archived branch"],
];

/** What the shapes, strokes and lines mean. */
export function GraphLegend() {
  return (
    <details className="graph-legend">
      <summary>Legend</summary>
      <ul>
        {Object.entries(SHAPE_NAMES).map(([shape, name]) => (
          <li key={shape}>
            <Picture classes="graph-is-covered">
              <Shape shape={shape} />
            </Picture>
            {name}
          </li>
        ))}
        {STATES.map(([classes, name]) => (
          <li key={name}>
            <Picture classes={classes}>
              {classes.includes("head") && <circle className="graph-glow" r="16" />}
              <Shape shape="llm" />
              {classes.includes("error") && (
                <text className="graph-alarm" x="-15" y="-7">
                  !
                </text>
              )}
            </Picture>
            {name}
          </li>
        ))}
        {SIGNS.map(([sign, name]) => (
          <li key={sign}>
            <span className="graph-sign" aria-hidden="true">
              {sign}
            </span>
            {name}
          </li>
        ))}
        {LINES.map(([kind, name]) => (
          <li key={kind}>
            <Picture classes="">
              <path className={`graph-line graph-line-${kind}`} d="M -17 0 L 17 0" />
            </Picture>
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Picture({ classes, children }: { classes: string; children: React.ReactNode }) {
  return (
    <svg
      className={`graph-colour-0 ${classes}`}
      viewBox="-18 -18 36 36"
      width="24"
      height="24"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}
