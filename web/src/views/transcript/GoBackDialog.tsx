import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { api, type Schemas, Told, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { shown } from "../../shell/shown";
import { toast } from "../../shell/toasts";
import { useDeed } from "../../shell/useDeed";
import { inFrontOf, placeOf } from "./places";

type Props = {
  branchId: string;
  nodeId: number;
  /** The text that is to be said in other words; without one it is only gone back. */
  text: string | undefined;
  send: (text: string) => void;
  onClose: () => void;
};

/** Going back to an item: first what that would mean, then, if the person says so, doing it. */
export function GoBackDialog({ branchId, nodeId, text, send, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [keep, setKeep] = useState(false);
  const [words, setWords] = useState(text ?? "");
  useEffect(() => dialog.current?.showModal(), []);

  const look = useQuery({
    queryKey: KEYS.goingBack(branchId, nodeId, { before: text !== undefined, keep }),
    queryFn: () => revert(branchId, nodeId, text !== undefined, keep, true),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const deed = useDeed(async () => {
    await revert(branchId, nodeId, text !== undefined, keep, false);
    if (text !== undefined) send(words);
    toast({ tone: "calm", title: "Gone back", text: "What lay behind it is kept, and can be forked." });
    onClose();
  });
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={title} onClose={onClose}>
      <h2 id={title}>{text === undefined ? "Go back to here?" : "Say it in other words?"}</h2>
      {text !== undefined && (
        <label className="transcript-edit">
          New text
          <textarea value={words} rows={5} onChange={(event) => setWords(event.target.value)} dir="auto" />
        </label>
      )}
      {look.error ? (
        <Failure error={look.error} />
      ) : look.data ? (
        <Meaning view={look.data} />
      ) : (
        <Loading what="Looking" />
      )}
      {(look.data?.tasks.length ?? 0) > 0 && (
        <label>
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} /> let
          these tasks go on
        </label>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={onClose}>
          Leave it
        </button>
        <button
          type="button"
          className="danger"
          disabled={deed.busy || !look.data || (text !== undefined && words.trim() === "")}
          onClick={() => void deed.run()}
        >
          {text === undefined ? "Go back" : "Go back and send"}
        </button>
      </div>
    </dialog>
  );
}

async function revert(agent: string, node: number, before: boolean, keep_tasks: boolean, dry_run: boolean) {
  const place = await placeOf(node, agent);
  const to = before ? inFrontOf(place) : place;
  if (to === null)
    throw new Told("no_place", "nothing can be said in the place of this text", "go back to it");
  const params = { path: { agent } };
  return taken(
    await api.POST("/api/v1/agents/{agent}/revert", { params, body: { to, keep_tasks, dry_run } }),
  );
}

function Meaning({ view }: { view: Schemas["RevertView"] }) {
  const lines: ReactNode[] = [
    view.nodes_left === 0
      ? "Nothing lies behind it."
      : `${counted(view.nodes_left, "item")} of the conversation ${is(view.nodes_left)} left, and kept beside it.`,
    view.read.length > 0 &&
      `${counted(view.read.length, "message")} read there ${stay(view.read.length)} read.`,
    view.unread.length > 0 && `${counted(view.unread.length, "message")} there will be read again.`,
    view.tasks.length > 0 &&
      `${counted(view.tasks.length, "open task")} ${view.keeps_tasks ? "go on and report here" : is(view.tasks.length, "cancelled with everything below")}: ${view.tasks.map((one) => one.description).join("; ")}`,
    view.agents.length > 0 &&
      `${counted(view.agents.length, "agent")} made there ${stay(view.agents.length)}.`,
    view.work.length > 0 && `Work in the background goes on: ${view.work.join("; ")}`,
    view.goal && `The goal stays: ${view.goal}`,
  ];
  return (
    <ul>
      {lines.map((line, nth) =>
        line ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have fixed places
          <li key={nth} dir="auto">
            {typeof line === "string" ? shown(line) : line}
          </li>
        ) : null,
      )}
    </ul>
  );
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
const is = (n: number, what = ""): string => `${n === 1 ? "is" : "are"}${what && ` ${what}`}`;
const stay = (n: number): string => (n === 1 ? "stays" : "stay");
