import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { Foreign } from "../../shell/Foreign";

type Props = {
  party: Schemas["Party"];
  selector?: string;
  /** The message: the agent's transcript begins where it stands. */
  row?: string;
};

/** Who wrote or was written to: an agent leads to its transcript; on a bus nobody may have taken it yet. */
export function PartyName({ party, selector = "", row }: Props) {
  if (party.branch_id) {
    return (
      <>
        <AgentName label={party.label} branchId={party.branch_id} address={party.address} row={row} />
        {party.by === "runtime" && <span className="rows-muted"> through Postroom</span>}
      </>
    );
  }
  if (party.by === "user") return <span>You</span>;
  if (party.by === "runtime") return <span>Postroom</span>;
  return <Foreign className="rows-muted" text={party.label || selector || "nobody"} />;
}
