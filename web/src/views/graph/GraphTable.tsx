import { useState } from "react";
import { Foreign } from "../../shell/Foreign";
import type { Graph } from "./model";
import { SHAPE_NAMES } from "./Shape";
import type { Thing } from "./things";

/** The same as the drawing in rows, for who reads rather than looks. */
export function GraphTable({
  graph,
  things,
  choose,
}: {
  graph: Graph;
  things: ReadonlyMap<string, Thing>;
  choose: (name: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The same as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
        <section className="graph-table-scroll" tabIndex={0} aria-label="Nodes of the graph">
          <table className="graph-table">
            <thead>
              <tr>
                <th scope="col">Branch</th>
                <th scope="col">What</th>
                <th scope="col">Who</th>
                <th scope="col">State</th>
                <th scope="col">Begins with</th>
              </tr>
            </thead>
            <tbody>
              {[...things.values()].map((thing) => (
                <Row key={thing.name} graph={graph} thing={thing} choose={choose} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

function Row({ graph, thing, choose }: { graph: Graph; thing: Thing; choose: (name: string) => void }) {
  const { node, call, mark } = thing;
  const text = call ? `${call.tool} ${call.preview}` : node ? node.preview : graph.title;
  const isStretch = mark.shape === "stretch";
  return (
    <tr>
      <td>
        <Foreign text={graph.branches[thing.branch]?.label ?? ""} />
      </td>
      <td>
        <button type="button" onClick={() => choose(thing.name)}>
          {isStretch ? `${node?.count} nodes` : (SHAPE_NAMES[mark.shape] ?? mark.shape)}
        </button>
      </td>
      <td>
        <Foreign text={call ? "" : (node?.agent ?? "")} />
      </td>
      <td>{[mark.status, mark.isHead ? "head" : ""].filter(Boolean).join(", ")}</td>
      <td>
        <Foreign text={text} />
      </td>
    </tr>
  );
}
