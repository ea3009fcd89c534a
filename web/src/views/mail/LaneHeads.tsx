import { Foreign } from "../../shell/Foreign";
import type { Lane } from "./lanes";

/** Whose lane each is, above them. The rows name the same agents in words. */
export function LaneHeads({ lanes }: { lanes: readonly Lane[] }) {
  return (
    <div className="mail-heads" aria-hidden="true">
      {lanes.map((lane) => (
        <span
          key={lane.key}
          className={lane.isRest ? "mail-head rows-muted" : "mail-head"}
          title={lane.label}
        >
          <Foreign text={lane.label} />
        </span>
      ))}
    </div>
  );
}
