import { api, taken } from "../../api/client";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { DeedButton } from "../../shell/DeedButton";
import { toMessage } from "../../shell/links";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";

type Props = { messageId: string; className?: string | undefined };

/** Takes a message back that nobody has begun to read. */
export function RecallButton({ messageId, className }: Props) {
  const recall = useDeed(async () => {
    const params = { path: { message: messageId } };
    taken(await api.POST("/api/v1/messages/{message}/recall", { params }));
    toast({ tone: "calm", title: "Recalled", text: "Nobody will read it." });
  });
  return (
    <ConfirmButton
      className={className}
      question="Recall this message?"
      detail="It ends unread, and an agent that wrote it is told."
      confirm="Recall it"
      onConfirm={() => void recall.run()}
      disabled={recall.busy}
    >
      Recall
    </ConfirmButton>
  );
}

/** Has a message that ended unread tried again, as a new one. */
export function RetryButton({ messageId, className, onSent }: Props & { onSent?: () => void }) {
  const retry = useDeed(async () => {
    const params = { path: { message: messageId } };
    const receipt = taken(await api.POST("/api/v1/messages/{message}/retry", { params }));
    toast({
      tone: "calm",
      title: "Sent again",
      text: "It waits as a new message.",
      href: toMessage(receipt.message_id),
    });
    onSent?.();
  });
  return (
    <DeedButton className={className} onClick={() => void retry.run()} disabled={retry.busy}>
      Send it again
    </DeedButton>
  );
}

/** Stops a task with everything below it. */
export function StopTaskButton({ taskId, children }: { taskId: string; children: string }) {
  const stop = useDeed(async () =>
    taken(await api.POST("/api/v1/tasks/{task}/stop", { params: { path: { task: taskId } } })),
  );
  return (
    <ConfirmButton
      question="Stop this task?"
      detail="It ends with everything that was given below it, and its dispatcher is told."
      confirm="Stop it"
      className="danger"
      onConfirm={() => void stop.run()}
      disabled={stop.busy}
    >
      {children}
    </ConfirmButton>
  );
}
