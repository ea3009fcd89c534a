import { RecallButton, RetryButton } from "../../rows/MailDeeds";
import { mayBeRecalled } from "../../rows/recallable";

type Props = {
  messageId: string;
  kind: string;
  states: readonly { state: string; reason: string }[];
};

const UNREAD = new Set(["held", "accepted"]);

/** What the person may do with a message where it stands: take it back, or have it tried again. */
export function MessageDeeds({ messageId, kind, states }: Props) {
  const mayRecall = mayBeRecalled(kind) && states.length > 0 && states.every((one) => UNREAD.has(one.state));
  return (
    <>
      {mayRecall && <RecallButton messageId={messageId} className="transcript-small" />}
      {states.some((one) => one.reason === "quarantined") && (
        <RetryButton messageId={messageId} className="transcript-small" />
      )}
    </>
  );
}
