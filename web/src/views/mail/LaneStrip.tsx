import type { LaneRow } from "./lanes";

const WIDTH = 36;
const HEIGHT = 24;

/** Where the middle of a lane is. */
const middle = (lane: number): number => (lane + 0.5) * WIDTH;

/** The part of the lanes beside one message, with an arrow from who wrote it to whom it went. Only for the eye. */
export function LaneStrip({ count, row }: { count: number; row: LaneRow }) {
  const y = HEIGHT / 2;
  return (
    <svg
      className="mail-strip"
      width={count * WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${count * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="mail-lane" d={linesOf(count)} />
      <circle className="mail-from" cx={middle(row.from)} cy={y} r={4} />
      {row.arrows.map((arrow) => (
        <g key={arrow.to} className={`mail-arrow mail-arrow-${arrow.state}`}>
          <path d={pathOf(row.from, arrow.to, y)} />
          <path className="mail-tip" d={tipOf(row.from, arrow.to, y)} />
        </g>
      ))}
    </svg>
  );
}

/** Every lane, far beyond the strip: the row cuts it off where it ends. */
function linesOf(count: number): string {
  return Array.from({ length: count }, (_, lane) => `M ${middle(lane)} ${-HEIGHT * 8} V ${HEIGHT * 9}`).join(
    " ",
  );
}

/** A line to another lane; within the shared lane a small loop. */
function pathOf(from: number, to: number, y: number): string {
  if (from === to) return `M ${middle(from) + 4} ${y - 4} q 12 4 0 8`;
  return `M ${middle(from) + 4 * Math.sign(to - from)} ${y} H ${middle(to)}`;
}

function tipOf(from: number, to: number, y: number): string {
  if (from === to) return "";
  const back = -7 * Math.sign(to - from);
  return `M ${middle(to)} ${y} l ${back} -4 v 8 z`;
}
