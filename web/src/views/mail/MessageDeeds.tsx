import { useLocation } from "wouter";
import { api, type Schemas, taken } from "../../api/client";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { toMessage } from "../../shell/links";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import { isQuarantined, isRecallable } from "./standing";

/** What the person may do with a message: take it back while it is unread, or have it tried again. */
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
  const mayRecall = isRecallable(mail);
  const mayRetry = isQuarantined(mail);
  if (!mayRecall && !mayRetry) return null;
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
      {mayRetry && (
        <button type="button" onClick={() => void retry.run()} disabled={retry.busy}>
          Send it again
        </button>
      )}
    </div>
  );
}
