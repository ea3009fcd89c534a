import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { ConversationName } from "../../shell/ConversationName";
import { Foreign } from "../../shell/Foreign";
import { toMessage, toWhy } from "../../shell/links";
import { Stamp } from "../../shell/Stamp";
import { shown } from "../../shell/shown";
import { marksOf } from "./marks";

/** One text that was found, with the words that it was found by. Mail leads to its message, the rest to its turn. */
export function HitRow({ hit, searched }: { hit: Schemas["Hit"]; searched: string }) {
  // The agent that a conversation is of goes by the id of its session.
  const isRoot = hit.agent === hit.session_id;
  return (
    <li className="rows-row">
      <div className="rows-line">
        <span>
          {hit.where} {hit.where === "mail" ? "from" : "of"} <Foreign text={hit.who} />
        </span>
        <span className="search-place">
          {"in "}
          {isRoot ? (
            <ConversationName title={hit.title} reference={hit.session_id} row={hit.id} />
          ) : (
            <>
              <AgentName label={hit.agent} address={hit.agent} row={hit.id} /> of <Foreign text={hit.title} />
            </>
          )}
        </span>
        <span className="rows-muted">
          <Stamp us={hit.at_us} />
        </span>
      </div>
      <p className="rows-text">
        <Link
          href={hit.where === "mail" ? toMessage(hit.id) : toWhy(hit.id)}
          className="search-open"
          data-row=""
        >
          <bdi>
            {marksOf(hit.excerpt, searched).map((part) =>
              part.isHit ? (
                <mark key={part.from}>{shown(part.text)}</mark>
              ) : (
                <span key={part.from}>{shown(part.text)}</span>
              ),
            )}
          </bdi>
        </Link>
      </p>
    </li>
  );
}
