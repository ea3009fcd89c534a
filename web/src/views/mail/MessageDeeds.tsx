import { useLocation } from "wouter";
import { api, type Schemas, taken } from "../../api/client";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { toMessage } from "../../shell/links";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import { isOpenState } from "../tasks/filters";
import { isQuarantined, isRecallable } from "./standing";

/** What the person may do with a message: take it back unread, have it tried again, stop the task that it gives. */
export function MessageDeeds({ mail }: { mail: Schemas["MailEntry"] }) {
  const [, navigate] = useLocation();
  const params = { path: { message: mail.message_id } };
  const recall = useDeed(async () => {
    taken(await api.POST("/api/v1/messages/{message}/recall", { params }));
    toast({ tone: "calm", title: "Recalled", text: "Nobody will read it." });
  });
  const retry = useDeed(async () => {
    const receipt = taken(await api.POST("/api/v1/messages/{message}/retry", { params }));
    toast({ tone: "calm", title: "Sent again", text: "" });
    navigate(toMessage(receipt.message_id));
  });
  const stop = useDeed(async () =>
    taken(await api.POST("/api/v1/tasks/{task}/stop", { params: { path: { task: mail.task_id } } })),
  );
  const mayStop = isOpenState(mail.task_state);
  const mayRecall = isRecallable(mail);
  const mayRetry = isQuarantined(mail);
  if (!mayRecall && !mayRetry && !mayStop) return null;
  return (
    <div className="rows-buttons">
      {mayRecall && (
        <ConfirmButton
          question="Recall this message?"
          detail="It ends unread, and the agent that wrote it is told."
          confirm="Recall it"
          onConfirm={() => void recall.run()}
          disabled={recall.busy}
        >
          Recall
        </ConfirmButton>
      )}
      {mayStop && (
        <ConfirmButton
          question="Stop this task?"
          detail="It ends with everything that was given below it, and its dispatcher is told."
          confirm="Stop it"
          className="danger"
          onConfirm={() => void stop.run()}
          disabled={stop.busy}
        >
          Stop the task
        </ConfirmButton>
      )}
      {mayRetry && (
        <button type="button" onClick={() => void retry.run()} disabled={retry.busy}>
          Send it again
        </button>
      )}
    </div>
  );
}
