import type { Schemas } from "../../api/client";
import { RecallButton, RetryButton, StopTaskButton } from "../rows/MailDeeds";
import { isOpenState } from "../tasks/filters";
import { isQuarantined, isRecallable } from "./standing";

/** What the person may do with a message: take it back unread, have it tried again, stop the task that it gives. */
export function MessageDeeds({ mail }: { mail: Schemas["MailEntry"] }) {
  const mayStop = isOpenState(mail.task_state);
  const mayRecall = isRecallable(mail);
  const mayRetry = isQuarantined(mail);
  if (!mayRecall && !mayRetry && !mayStop) return null;
  return (
    <div className="rows-buttons">
      {mayRecall && <RecallButton messageId={mail.message_id} />}
      {mayStop && <StopTaskButton taskId={mail.task_id}>Stop the task</StopTaskButton>}
      {mayRetry && <RetryButton messageId={mail.message_id} />}
    </div>
  );
}
