import Markdown, { type Components } from "react-markdown";
import { shown } from "./shown";
import "./body.css";

const KNOWN = /^(https?|mailto):/i;

// Nothing is fetched from elsewhere for a text: a picture becomes its description.
const PARTS: Components = {
  a: ({ href, children }) =>
    href && KNOWN.test(href) ? (
      <a href={href} rel="noopener noreferrer" target="_blank" title={href}>
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt, src }) => <span className="body-picture">[picture: {alt || String(src ?? "")}]</span>,
};

/** A text of an agent or person as Markdown. It is hostile: no HTML, no pictures, links in new windows only. */
export function Body({ text }: { text: string }) {
  return (
    <div className="body" dir="auto">
      <Markdown components={PARTS}>{shown(text)}</Markdown>
    </div>
  );
}
