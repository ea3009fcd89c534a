import { AgentName } from "./AgentName";

type Props = {
  /** What the person knows it by; empty while that is not known, or where it has no title. */
  title: string;
  /** What leads to it: the id of a session, or what means an agent. */
  reference: string;
  row?: string | undefined;
};

/** A conversation by its title, and by what leads there where it has none. That stays to be read as a detail. */
export function ConversationName({ title, reference, row }: Props) {
  return <AgentName label={title || reference} address={reference} row={row} detail={reference} isTitle />;
}
