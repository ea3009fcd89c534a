import { plain } from "../../../shell/plain";
import { StateBadge } from "../../../shell/StateBadge";

type Props = {
  state: string;
  reason: string;
  parked: boolean;
  read_round: number | null;
  reverted: boolean;
};

/** How a message stands with one reader, in words, as it is now. */
export function Standing({ state, reason, parked, read_round, reverted }: Props) {
  const words = [
    reason && (state === "held" ? `for ${plain(reason)}` : plain(reason)),
    parked && state === "accepted" && "resume to have it read",
    read_round !== null && state === "consumed" && `read in round ${read_round}`,
    reverted && "left by a revert",
  ].filter(Boolean);
  return (
    <>
      <StateBadge state={parked && state === "accepted" ? "parked" : state || "posted"} />
      {words.length > 0 && <span className="transcript-muted"> {words.join(", ")}</span>}
    </>
  );
}
