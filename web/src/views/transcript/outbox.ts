import { useEffect, useState } from "react";
import { api, isRefusal, type Schemas, taken } from "../../api/client";
import { newId } from "../../api/ids";
import { told } from "../../shell/Failure";
import { toast } from "../../shell/toasts";

export type Mode = "steer" | "queue";
export type Receipt = Schemas["ReceiptView"];

/** A text that is on its way. Its id makes a second try of the same text harmless. */
export type Letter = { readonly clientId: string; readonly text: string; readonly mode: Mode };

const MODES: readonly string[] = ["steer", "queue"];

/** The part of a storage that is used; a browser may have none. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What is kept of an agent's composer over a reload: what is typed, and what has no receipt yet. */
export class Drawer {
  constructor(
    private readonly shelf: Shelf | null,
    private readonly branchId: string,
  ) {}

  draft(): string {
    return this.get("draft") ?? "";
  }

  keepDraft(text: string): void {
    this.put("draft", text);
  }

  letter(): Letter | null {
    try {
      const found: unknown = JSON.parse(this.get("letter") ?? "null");
      return isLetter(found) ? found : null;
    } catch {
      return null;
    }
  }

  keepLetter(letter: Letter | null): void {
    this.put("letter", letter ? JSON.stringify(letter) : "");
  }

  private get(name: string): string | null {
    try {
      return this.shelf?.getItem(this.key(name)) ?? null;
    } catch {
      return null;
    }
  }

  private put(name: string, value: string): void {
    try {
      if (value) this.shelf?.setItem(this.key(name), value);
      else this.shelf?.removeItem(this.key(name));
    } catch {
      // A full or forbidden storage only means that a reload forgets it.
    }
  }

  private key(name: string): string {
    return `postroom.${name}.${this.branchId}`;
  }
}

function isLetter(found: unknown): found is Letter {
  if (typeof found !== "object" || found === null) return false;
  const { clientId, text, mode } = found as Partial<Letter>;
  return typeof clientId === "string" && typeof text === "string" && MODES.includes(String(mode));
}

/** The composer's texts: typing, sending, and going on after a reload with what has no receipt. */
export function useOutbox(branchId: string) {
  const [drawer] = useState(() => new Drawer(window.sessionStorage, branchId));
  const [text, setText] = useState(() => drawer.draft());
  const [letter, setLetter] = useState<Letter | null>(() => drawer.letter());
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [busy, setBusy] = useState(false);

  const type = (typed: string) => {
    setText(typed);
    drawer.keepDraft(typed);
  };
  const hold = (next: Letter | null) => {
    setLetter(next);
    drawer.keepLetter(next);
  };
  const post = async (one: Letter) => {
    setBusy(true);
    const params = { path: { agent: branchId } };
    const body = { body: one.text, mode: one.mode, client_id: one.clientId };
    try {
      setReceipt(taken(await api.POST("/api/v1/agents/{agent}/send", { params, body })));
      hold(null);
    } catch (error) {
      const { code, message, remedy } = told(error);
      toast({ tone: "bad", title: code, text: [message, remedy].filter(Boolean).join("\n") });
      if (isRefusal(error)) {
        hold(null);
        type(one.text);
      }
    } finally {
      setBusy(false);
    }
  };
  const send = (body: string, mode: Mode) => {
    if (busy || letter || body.trim() === "") return;
    const one: Letter = { clientId: newId(), text: body, mode };
    hold(one);
    type("");
    setReceipt(null);
    void post(one);
  };
  // What a reload has cut goes once more under the same id: the daemon gives the first receipt.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what the reload has left
  useEffect(() => {
    if (letter) void post(letter);
  }, []);
  return { text, type, letter, receipt, busy, send, again: () => letter && void post(letter) };
}
