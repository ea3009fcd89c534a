import { useMemo, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { useDeletion } from "../../api/deletion";
import { useBar } from "../../api/me";
import { useAgentDeeds } from "../../shell/agentDeeds";
import { Deleted } from "../../shell/Deleted";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { useParam } from "../../shell/links";
import { useKeys } from "../../shell/useKeys";
import { AgentHead } from "./AgentHead";
import { Announcer } from "./Announcer";
import { blocksOf } from "./blocks";
import { Composer } from "./Composer";
import { DeskContext } from "./desk";
import { GoBackDialog } from "./GoBackDialog";
import { KeysHelp } from "./KeysHelp";
import { useLiveAnswer } from "./liveText";
import type { Heading } from "./model";
import { useOutbox } from "./outbox";
import { TranscriptList } from "./TranscriptList";
import { useTarget } from "./target";
import { type Transcript, useTranscript } from "./useTranscript";
import "./transcript.css";

/** An agent's conversation as it goes on, and everything that one does there. */
export default function TranscriptView() {
  const agent = useParam("agent");
  return <Live key={agent} agent={agent} />;
}

function Live({ agent }: { agent: string }) {
  const [isDeleted, setDeleted] = useState(false);
  return isDeleted ? <Deleted /> : <Conversation agent={agent} onDeleted={() => setDeleted(true)} />;
}

function Conversation({ agent, onDeleted }: { agent: string; onDeleted: () => void }) {
  const transcript = useTranscript(agent);
  const { heading, error } = transcript;
  useDeletion(heading?.session_id ?? "", onDeleted);
  if (!heading) return error ? <Failure error={error} /> : <Loading />;
  return <Desk key={heading.branch_id} heading={heading} transcript={transcript} />;
}

type Props = { heading: Heading; transcript: Transcript };

function Desk({ heading, transcript }: Props) {
  const { rows, error } = transcript;
  const live = useLiveAnswer(heading.branch_id, heading);
  const blocks = useMemo(() => blocksOf(rows, live), [rows, live]);
  const outbox = useOutbox(heading.branch_id);
  const field = useRef<HTMLTextAreaElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const [back, setBack] = useState<{ nodeId: number; text: string | undefined } | null>(null);
  const deeds = useAgentDeeds(heading.branch_id);
  const bar = useBar("operate");
  useKeys({
    "/": () => field.current?.focus(),
    s: () => bar === "" && void deeds.stop.run(),
    "?": () => help.current?.showModal(),
  });
  const desk = useMemo(
    () => ({ heading, goBack: (nodeId: number, text?: string) => setBack({ nodeId, text }) }),
    [heading],
  );
  const [address] = useSearchParams();
  const target = useTarget(address.get("row") ?? "", transcript);
  return (
    <DeskContext value={desk}>
      <div className="transcript">
        <AgentHead heading={heading} deeds={deeds} />
        {error !== null && <Failure error={error} />}
        {heading.pruned && (
          <p className="note note-calm">
            This conversation is over, and its texts were pruned. Of messages their size and hash are left.
          </p>
        )}
        {blocks.length === 0 && <Empty>Nothing has been said yet. Write the first text below.</Empty>}
        {target.isMissing && (
          <p className="note note-calm" role="status">
            What the address means is not in this conversation, or far above.
          </p>
        )}
        <TranscriptList
          blocks={blocks}
          target={target.row}
          name={heading.name}
          hasOlder={transcript.hasOlder}
          isLoadingOlder={transcript.isLoadingOlder}
          loadOlder={transcript.loadOlder}
        />
        <Announcer rows={rows} />
        <Composer heading={heading} outbox={outbox} field={field} />
        {back && (
          <GoBackDialog
            branchId={heading.branch_id}
            {...back}
            send={(text) => outbox.send(text, "queue")}
            onClose={() => setBack(null)}
          />
        )}
        <KeysHelp dialog={help} />
      </div>
    </DeskContext>
  );
}
