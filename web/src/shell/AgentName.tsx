import { Link } from "wouter";
import { toAgent } from "./links";
import { shown } from "./shown";
import "./names.css";

type Props = {
  label: string;
  branchId?: string | undefined;
  address?: string | undefined;
  /** What of its transcript is meant: a message, a turn, an item. */
  row?: string | undefined;
};

/** An agent by its name, which leads to its transcript. Names are the agents' own: isolated, cut where long. */
export function AgentName({ label, branchId, address, row }: Props) {
  const reference = address || branchId;
  const name = <bdi>{shown(label) || "(no name)"}</bdi>;
  if (!reference) {
    return (
      <span className="agent-name" title={label}>
        {name}
      </span>
    );
  }
  return (
    <Link className="agent-name" href={toAgent(reference, row)} title={label}>
      {name}
    </Link>
  );
}
