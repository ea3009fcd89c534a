import type { ReactNode } from "react";
import { Link } from "wouter";
import { api, taken } from "../../../api/client";
import { AgentName } from "../../../shell/AgentName";
import { toldEnd } from "../../../shell/ended";
import { Foreign } from "../../../shell/Foreign";
import { toMessage } from "../../../shell/links";
import { shown } from "../../../shell/shown";
import { Pruned } from "../../rows/Pruned";
import type { Letter, Speaker } from "../model";
import { Frame } from "./Frame";
import { MessageDeeds } from "./MessageDeeds";
import { Standing } from "./Standing";
import { Text } from "./Text";

const KINDS: { [kind: string]: string } = {
  user: "text",
  prompt: "task",
  task: "task",
  mail: "mail",
  reply: "reply",
  result: "result of a task",
  notice: "notice",
  plugin: "event",
  goal: "reminder of the goal",
};

/** One message with its true sender, its mode, and how it stands with whoever reads it here. */
export function LetterView({ letter, menu }: { letter: Letter; menu?: ReactNode }) {
  const { message_id, message_kind, mode, provenance, sender } = letter;
  const end = toldEnd(letter);
  return (
    <Frame
      words={provenance}
      what={
        <>
          {KINDS[message_kind] ?? message_kind}
          {provenance !== "user" && (
            <>
              {" from "}
              <SpeakerName speaker={sender} />
            </>
          )}
          {letter.selector && (
            <>
              {" to "}
              <Foreign text={letter.selector} />
            </>
          )}
          {`, ${mode}`}
        </>
      }
      aside={
        <>
          <Standing {...letter} /> <Link href={toMessage(message_id)}>details</Link>
          <MessageDeeds messageId={message_id} kind={message_kind} states={[letter]} />
          {menu}
        </>
      }
    >
      {end && (
        <p className="transcript-muted" dir="auto">
          {shown(end)}
        </p>
      )}
      {letter.pruned_bytes !== null ? (
        <Pruned bytes={letter.pruned_bytes} sha256={letter.pruned_sha256} />
      ) : (
        <Text text={letter.text} missing={letter.missing_chars} whole={() => wholeOf(message_id)} />
      )}
    </Frame>
  );
}

/** Who wrote something; an agent leads to its transcript. */
export function SpeakerName({ speaker }: { speaker: Speaker }) {
  if (speaker.branch_id) {
    return <AgentName label={speaker.name} branchId={speaker.branch_id} address={speaker.address} />;
  }
  if (speaker.by === "user") return <>you</>;
  if (speaker.name) return <Foreign text={speaker.name} />;
  return <>{speaker.by === "system" ? "Postroom" : "an agent"}</>;
}

/** The whole text of a message. */
export async function wholeOf(messageId: string): Promise<string> {
  const params = { path: { message: messageId } };
  return taken(await api.GET("/api/v1/messages/{message}", { params })).body;
}
