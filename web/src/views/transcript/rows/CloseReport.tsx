import { Foreign } from "../../../shell/Foreign";
import { shown } from "../../../shell/shown";
import type { RowOf } from "../model";
import { Frame } from "./Frame";

/** The record of a bus that has closed with its turn: how much was read, and what nobody read. */
export function CloseReport({ row }: { row: RowOf<"close_report"> }) {
  const { read, undelivered } = row;
  if (read === 0 && undelivered.length === 0) return null;
  return (
    <Frame
      words="system"
      what={`bus closed: ${read} ${read === 1 ? "message" : "messages"} read, ${undelivered.length} not delivered`}
    >
      {undelivered.length > 0 && (
        <details open>
          <summary dir="auto">{shown(row.sentence.split("\n")[0] || "Not delivered:")}</summary>
          <ul>
            {undelivered.map((one, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a record never changes
              <li key={nth}>
                from <Foreign text={one.sender} /> to <Foreign text={one.to} />
                <pre className="transcript-plain" dir="auto">
                  {shown(one.text)}
                </pre>
                {one.missing_chars > 0 && (
                  <p className="transcript-muted">{one.missing_chars.toLocaleString("en")} more characters</p>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Frame>
  );
}
