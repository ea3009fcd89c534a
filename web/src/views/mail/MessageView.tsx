import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { Body } from "../../shell/Body";
import { toldEnd } from "../../shell/ended";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { toWhy, useParam } from "../../shell/links";
import { shown } from "../../shell/shown";
import { Pruned } from "../rows/Pruned";
import { MessageDeeds } from "./MessageDeeds";
import { MessageFacts } from "./MessageFacts";
import { Recipients } from "./Recipients";
import "../rows/rows.css";
import "./mail.css";

/** One message in full: its text, and how it stands with every recipient as that changes. */
export default function MessageView() {
  const id = useParam("id");
  const key = KEYS.message(id);
  const message = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/messages/{message}", { params: { path: { message: id } }, signal })),
  });
  const own = message.data?.mail.message_id ?? id;
  // An answer names another message, a pruning none; both are told to the sessions of this one's agents.
  const sessions = message.data ? sessionsOf(message.data.mail) : [];
  useFresh(
    key,
    (event) => event.message_id === own || (isOfSession(event.kind) && sessions.includes(event.session_id)),
  );
  if (message.isPending) return <Loading what="Loading the message" />;
  if (!message.data) return <Failure error={message.error} />;
  const { mail, body, pruned_bytes, pruned_sha256 } = message.data;
  const end = toldEnd(mail);
  return (
    <article>
      <div className="rows-head">
        <h1>{mail.task_id ? "Task" : "Message"}</h1>
        <code className="rows-muted">{mail.message_id}</code>
        <Link href={toWhy(mail.message_id)}>Why</Link>
      </div>
      {message.isError && <Failure error={message.error} />}
      <MessageFacts mail={mail} />
      <MessageDeeds mail={mail} />
      <section className="rows-section" aria-labelledby="message-text">
        <h2 id="message-text">Text</h2>
        <div className="mail-body">
          {end && (
            <p className="rows-muted" dir="auto">
              {shown(end)}
            </p>
          )}
          {pruned_bytes !== null ? (
            <Pruned bytes={pruned_bytes} sha256={pruned_sha256} />
          ) : body ? (
            <Body text={body} />
          ) : (
            !end && <p className="rows-muted">There is no text.</p>
          )}
        </div>
      </section>
      <section className="rows-section" aria-labelledby="message-to">
        <h2 id="message-to">Recipients</h2>
        <Recipients mail={mail} />
      </section>
    </article>
  );
}

function sessionsOf(mail: Schemas["MailEntry"]): string[] {
  return [mail.sender.session_id ?? "", ...mail.recipients.map((one) => one.to.session_id ?? "")];
}

function isOfSession(kind: string): boolean {
  return kind === "message.accepted" || kind === "session.pruned" || kind.startsWith("task.");
}
