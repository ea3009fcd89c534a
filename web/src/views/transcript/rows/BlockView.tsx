import { useDeferredValue } from "react";
import { Body } from "../../../shell/Body";
import { Stamp } from "../../../shell/Stamp";
import type { Block } from "../blocks";
import { Frame } from "./Frame";
import { RowView } from "./RowView";

/** One block of the conversation. */
export function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "turn":
      return (
        <h2 className="transcript-turn">
          Turn at <Stamp us={block.tsUs} />
        </h2>
      );
    case "waiting":
      return (
        <h2 className="transcript-turn">
          {block.n} unread {block.n === 1 ? "message" : "messages"}, not in the conversation yet
        </h2>
      );
    case "live":
      return <LiveAnswer text={block.text.text} attempt={block.text.attempt} />;
    default:
      return <RowView row={block.row} />;
  }
}

/** The answer that streams, where the committed one will be. */
function LiveAnswer({ text, attempt }: { text: string; attempt: number }) {
  const shown = useDeferredValue(text);
  return (
    <Frame
      words="agent"
      what="answers"
      aside={<span className="transcript-writing">writing{attempt > 1 && `, attempt ${attempt}`} …</span>}
    >
      <Body text={shown} />
    </Frame>
  );
}
