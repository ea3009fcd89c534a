import { Link } from "wouter";
import type { Schemas } from "../../api/client";
import { AgentName } from "../../shell/AgentName";
import { Foreign } from "../../shell/Foreign";
import { toMessage, toWhy } from "../../shell/links";
import { Stamp } from "../../shell/Stamp";
import { shown } from "../../shell/shown";
import { marksOf } from "./marks";

/** One text that was found, with the words that it was found by. Mail leads to its message, the rest to its turn. */
export function HitRow({ hit, searched }: { hit: Schemas["Hit"]; searched: string }) {
  return (
    <li className="rows-row">
      <div className="rows-line">
        <span>{hit.where}</span>
        <Foreign text={hit.who} />
        <span className="rows-muted">in</span>
        <AgentName label={hit.agent} address={hit.agent} row={hit.id} />
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
