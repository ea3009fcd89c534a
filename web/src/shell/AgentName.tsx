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
  /** What is told of it besides, where one points. */
  detail?: string | undefined;
  /** Whether it is called by a title, which is longer than a name. */
  isTitle?: boolean;
};

/** An agent by its name, which leads to its transcript. Names are the agents' own: isolated, cut where long. */
export function AgentName({ label, branchId, address, row, detail, isTitle = false }: Props) {
  const reference = address || branchId;
  const name = <bdi>{shown(label) || "(no name)"}</bdi>;
  const look = {
    className: isTitle ? "agent-name agent-title" : "agent-name",
    title: detail && detail !== label ? `${label}\n${detail}` : label,
  };
  if (!reference) {
    return <span {...look}>{name}</span>;
  }
  return (
    <Link {...look} href={toAgent(reference, row)}>
      {name}
    </Link>
  );
}
