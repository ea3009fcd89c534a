import type { ReactElement } from "react";
import Markdown, { type Components, type Options } from "react-markdown";
import gfm from "remark-gfm";
import { isReadAsMarkdown } from "./readableMarkdown";
import { shown } from "./shown";
import "./body.css";

const KNOWN = /^(https?|mailto):/i;
// Footnotes would put ids into the page, and what they say far from where it was said.
const NOTES = ["gfmFootnoteDefinition", "gfmFootnoteCall", "gfmPotentialFootnoteCall"];
const PLUGINS: Options["remarkPlugins"] = [
  gfm,
  function withoutNotes() {
    const data = this.data() as { micromarkExtensions?: object[] };
    data.micromarkExtensions?.push({ disable: { null: NOTES } });
  },
];

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
  input: ({ checked }) => <span className="body-task">{checked ? "☑ done:" : "☐ open:"}</span>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than it scrolls, by keys too
    <section className="body-table" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
};

/** A text of an agent or person as Markdown. It is hostile: no HTML, no pictures, links in new windows only. */
export function Body({ text }: { text: string }) {
  const safe = shown(text);
  const read = isReadAsMarkdown(safe) ? readAsMarkdown(safe) : null;
  return (
    <div className={read ? "body" : "body body-plain"} dir="auto">
      {read ?? safe}
    </div>
  );
}

/** What is nested too deep for the stack is no Markdown, rather than the end of the view. */
function readAsMarkdown(text: string): ReactElement | null {
  try {
    return Markdown({ children: text, components: PARTS, remarkPlugins: PLUGINS });
  } catch (fault) {
    if (fault instanceof RangeError) return null;
    throw fault;
  }
}
