import { api, taken } from "../../../api/client";
import { ConfirmButton } from "../../../shell/ConfirmButton";
import { toast } from "../../../shell/toasts";
import { useDeed } from "../../../shell/useDeed";

type Props = {
  messageId: string;
  kind: string;
  states: readonly { state: string; reason: string }[];
};

const UNREAD = new Set(["held", "accepted"]);
const TASKS = new Set(["task", "prompt"]);

/** What the person may do with a message where it stands: take it back, or have it tried again. */
export function MessageDeeds({ messageId, kind, states }: Props) {
  const params = { path: { message: messageId } };
  const recall = useDeed(async () => {
    taken(await api.POST("/api/v1/messages/{message}/recall", { params }));
    toast({ tone: "calm", title: "Recalled", text: "Nobody will read it." });
  });
  const retry = useDeed(async () => {
    taken(await api.POST("/api/v1/messages/{message}/retry", { params }));
    toast({ tone: "calm", title: "Sent again", text: "It waits as a new message." });
  });
  const mayRecall = !TASKS.has(kind) && states.length > 0 && states.every((one) => UNREAD.has(one.state));
  return (
    <>
      {mayRecall && (
        <ConfirmButton
          className="transcript-small"
          question="Recall this message?"
          detail="It ends unread, and an agent that wrote it is told."
          confirm="Recall it"
          onConfirm={() => void recall.run()}
          disabled={recall.busy}
        >
          Recall
        </ConfirmButton>
      )}
      {states.some((one) => one.reason === "quarantined") && (
        <button
          type="button"
          className="transcript-small"
          onClick={() => void retry.run()}
          disabled={retry.busy}
        >
          Send it again
        </button>
      )}
    </>
  );
}
