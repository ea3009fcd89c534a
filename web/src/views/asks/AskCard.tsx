import { useQueryClient } from "@tanstack/react-query";
import type { Ask } from "../../api/asks";
import { useConversation } from "../../api/conversation";
import { KEYS } from "../../api/keys";
import { AgentName } from "../../shell/AgentName";
import { Ago, Until } from "../../shell/Ago";
import { ConversationName } from "../../shell/ConversationName";
import { Foreign } from "../../shell/Foreign";
import { shown } from "../../shell/shown";
import { Approval } from "./Approval";
import { Question } from "./Question";
import { readable } from "./readable";

type Props = { ask: Ask; id: string; onFocus: () => void };

/** One ask: who wants what of whom, until when, and how the person decides. All texts are the agent's. */
export function AskCard({ ask, id, onFocus }: Props) {
  const queries = useQueryClient();
  const conversation = useConversation(ask.root_session_id);
  const title = conversation?.title || ask.root_session_id;
  // The daemon tells of the end too; where this page is not live, its own answer says it.
  const onDecided = () => void queries.invalidateQueries({ queryKey: KEYS.asks });
  const isQuestion = ask.kind === "question";
  // The agent of a conversation has no handle: its profile says more than an id.
  const name = ask.agent === ask.session_id ? ask.profile : ask.agent;
  return (
    <article
      id={id}
      className="ask"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: j and k move between the cards
      tabIndex={0}
      aria-label={`${isQuestion ? "Question" : "Approval"} of ${name}`}
      onFocus={onFocus}
    >
      <header className="ask-head">
        <strong>
          <AgentName label={name} branchId={ask.branch_id} />
        </strong>
        {isQuestion ? " has a question" : " asks for leave"}
        <span className="ask-quiet">
          {" in "}
          <ConversationName title={title} reference={ask.root_session_id} /> <Ago us={ask.requested_us} /> ago
          {ask.due_us !== null && (
            <>
              {isQuestion ? ", goes on without an answer in " : ", denied by itself in "}
              <Until us={ask.due_us} />
            </>
          )}
        </span>
      </header>
      {!isQuestion && <Wanted ask={ask} to={ask.to === ask.root_session_id ? title : ask.to} />}
      {ask.text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than it scrolls, by keys too
        <pre className="ask-text" dir="auto" tabIndex={0}>
          {shown(isQuestion ? ask.text : readable(ask.text))}
        </pre>
      )}
      {isQuestion ? (
        <Question ask={ask} onDecided={onDecided} />
      ) : (
        <Approval ask={ask} onDecided={onDecided} />
      )}
    </article>
  );
}

function Wanted({ ask, to }: { ask: Ask; to: string }) {
  const facts = [
    ["Tool", ask.tool],
    ["Action", ask.action],
    ["On", ask.resource],
    ["To", to],
  ] as const;
  return (
    <dl className="ask-facts">
      {facts.map(([name, value]) =>
        value ? (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Foreign text={value} />
            </dd>
          </div>
        ) : null,
      )}
      {ask.message_id && (
        <div>
          <dt>Held</dt>
          <dd>the message goes out with your leave</dd>
        </div>
      )}
    </dl>
  );
}
