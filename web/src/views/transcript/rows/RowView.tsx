import { memo } from "react";
import { Link } from "wouter";
import { api, taken } from "../../../api/client";
import { Foreign } from "../../../shell/Foreign";
import { toWhy } from "../../../shell/links";
import { Money } from "../../../shell/Money";
import { plain } from "../../../shell/plain";
import { shown } from "../../../shell/shown";
import { Tokens } from "../../../shell/Tokens";
import type { Row, RowOf } from "../model";
import { CallsView } from "./CallsView";
import { CloseReport } from "./CloseReport";
import { Frame } from "./Frame";
import { LetterView } from "./LetterView";
import { MailOut } from "./MailOut";
import { RowMenu } from "./RowMenu";
import { SpawnCard } from "./SpawnCard";
import { Text } from "./Text";
import { TurnEnd } from "./TurnEnd";

/** One row of the conversation. It is drawn anew only when it has changed, not with every piece of an answer. */
export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case "text":
    case "mail_in":
      return <Entered row={row} />;
    case "answer":
      return <Answer row={row} />;
    case "calls":
      return <CallsView calls={row.calls} />;
    case "mail_out":
      return <MailOut row={row} />;
    case "spawn":
      return <SpawnCard row={row} />;
    case "close_report":
      return <CloseReport row={row} />;
    case "notice":
      return (
        <Frame words={row.provenance} what={plain(row.code) || "notice"}>
          <Text text={row.text} missing={row.missing_chars} whole={() => wholeItem(row.node_id)} />
        </Frame>
      );
    case "summary":
      return <Summary row={row} />;
    case "turn_end":
      return <TurnEnd row={row} />;
    case "waiting":
      return <LetterView letter={row.letter} />;
  }
});

/** What entered the conversation: the parts of a shared item stay apart, each with whose words it holds. */
function Entered({ row }: { row: RowOf<"text"> | RowOf<"mail_in"> }) {
  const [first] = row.parts;
  const menu = <RowMenu nodeId={row.node_id} own={row.kind === "text" ? first?.text : undefined} />;
  if (row.parts.length === 1 && first) return <LetterView letter={first} menu={menu} />;
  return (
    <Frame words={row.provenance} what={`${row.parts.length} messages that came together`} aside={menu}>
      {row.parts.map((part) => (
        <LetterView key={part.message_id} letter={part} />
      ))}
    </Frame>
  );
}

function Answer({ row }: { row: RowOf<"answer"> }) {
  return (
    <Frame
      words="agent"
      what={`answered in round ${row.round}`}
      aside={
        <>
          {row.model && (
            <>
              <Foreign text={row.model} />
              {", "}
            </>
          )}
          <Tokens n={row.input_tokens + row.output_tokens} /> tokens
          {row.cost_micros !== null && (
            <>
              {", "}
              <Money micros={row.cost_micros} />
            </>
          )}{" "}
          <Link href={toWhy(row.turn_id)}>why</Link>
          <RowMenu nodeId={row.node_id} />
        </>
      }
    >
      <Text text={row.text} missing={row.missing_chars} whole={() => wholeItem(row.node_id)} />
    </Frame>
  );
}

function Summary({ row }: { row: RowOf<"summary"> }) {
  return (
    <Frame words="system" what={`summary of the ${row.covers} texts and answers before it`}>
      <Text text={row.text} missing={row.missing_chars} whole={() => wholeItem(row.node_id)} />
      {row.open.length > 0 && (
        <ul>
          {row.open.map((line) => (
            <li key={line} dir="auto">
              {shown(line)}
            </li>
          ))}
        </ul>
      )}
    </Frame>
  );
}

async function wholeItem(node: number): Promise<string> {
  return taken(await api.GET("/api/v1/nodes/{node}/text", { params: { path: { node } } })).text;
}
