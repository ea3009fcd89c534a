import { PROTOCOL_VERSION, type Schemas } from "./client";

export type LogEvent = Schemas["EventView"];

/** Some more text of an answer that is not committed yet. */
export type TextPiece = {
  readonly branch_id: string;
  readonly turn_id: string;
  readonly round: number;
  /** Counts from 1; a higher one begins the answer anew. */
  readonly attempt: number;
  readonly text: string;
};

/** How the stream of the page stands. Only `live` means that what one sees is what is. */
export type LiveState = "connecting" | "replaying" | "live" | "lost" | "logged_out" | "outdated";

/** What the page knows of its stream. `pos` is the last position that was taken; -1 before the first. */
export type Stream = {
  readonly state: LiveState;
  /** Since when the state has been like this, in milliseconds of the wall clock. */
  readonly sinceMs: number;
  readonly pos: number;
  /** What tells this log from that of a store which was replaced by a backup; empty while there is no other. */
  readonly tag: string;
  /** How often in a row the stream could not be had. */
  readonly tries: number;
  /** What the daemon said before it hung up: `slow`, `shutdown`, `revoked`, or nothing. */
  readonly farewell: string;
};

/** What a frame brings: at most one event or piece of text, or that everything is to be asked anew. */
export type Taken = {
  readonly stream: Stream;
  readonly event?: LogEvent;
  readonly piece?: TextPiece;
  readonly reset?: true;
  /** Texts that were under way have lost a part. */
  readonly broken?: true;
};

export const BEGINNING: Stream = {
  state: "connecting",
  sinceMs: 0,
  pos: -1,
  tag: "",
  tries: 0,
  farewell: "",
};
export const FRAMES = ["open", "log", "live", "text", "reset", "bye"] as const;
const BACK_OFF_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

/** Takes one frame as it came. Unknown frames, unknown fields and what cannot be read are passed over. */
export function taking(stream: Stream, frame: string, data: string, atMs: number): Taken {
  const value = parsed(data);
  if (value === null) return { stream };
  switch (frame) {
    case "open":
      return opened(stream, value, atMs);
    case "log":
      return logged(stream, value);
    case "live":
      return { stream: { ...turned(stream, "live", atMs), tries: 0, farewell: "" } };
    case "text":
      return isPiece(value) ? { stream, piece: value } : { stream };
    case "reset":
      return begunAnew(stream, value);
    case "bye":
      return { stream: { ...stream, farewell: typeof value.reason === "string" ? value.reason : "" } };
    default:
      return { stream };
  }
}

/** Whether a session is gone with all that belongs to it. */
export function isDeletion(event: LogEvent): boolean {
  return event.kind === "session.deleted";
}

/** Of what is told of a session that these events delete, only that: to ask for the rest of it would be in vain. */
export function heeded(events: readonly LogEvent[]): readonly LogEvent[] {
  const deleted = new Set(events.filter(isDeletion).map((event) => event.session_id));
  if (deleted.size === 0) return events;
  return events.filter((event) => isDeletion(event) || !deleted.has(event.session_id));
}

/** The stream is gone. Since when it is not live counts from the first failure in a row. */
export function lost(stream: Stream, atMs: number): Stream {
  const next = turned(stream, "lost", atMs);
  return { ...next, tries: stream.tries + 1 };
}

/** The daemon lets nobody in with this login, or does not speak this page's protocol. */
export function barred(stream: Stream, as: "logged_out" | "outdated", atMs: number): Stream {
  return turned(stream, as, atMs);
}

/** How long to wait before the next try. */
export function backOffMs(tries: number): number {
  return BACK_OFF_MS[Math.min(Math.max(tries, 1), BACK_OFF_MS.length) - 1] ?? 15_000;
}

function opened(stream: Stream, value: Fields, atMs: number): Taken {
  if (value.protocol !== undefined && String(value.protocol) !== PROTOCOL_VERSION) {
    return { stream: barred(stream, "outdated", atMs) };
  }
  const isFirst = stream.pos < 0;
  const next = isFirst ? placed(stream, value) : stream;
  // A lost stream stays "not live" until the replay is done.
  const state = stream.state === "lost" ? next : turned(next, "replaying", atMs);
  return { stream: state, broken: true, ...(isFirst && stream.tries > 0 ? { reset: true } : {}) };
}

function logged(stream: Stream, value: Fields): Taken {
  if (!isEvent(value) || value.pos <= stream.pos) return { stream };
  return { stream: { ...stream, pos: value.pos }, event: value };
}

function begunAnew(stream: Stream, value: Fields): Taken {
  return { stream: placed(stream, value), reset: true, broken: true };
}

function placed(stream: Stream, value: Fields): Stream {
  const pos = typeof value.pos === "number" ? value.pos : stream.pos;
  return { ...stream, pos, tag: typeof value.tag === "string" ? value.tag : "" };
}

/** What to come back with, so that the stream goes on behind the last position; empty before the first. */
export function cursor({ pos, tag }: Stream): string {
  if (pos < 0) return "";
  return tag === "" ? String(pos) : `${pos}.${tag}`;
}

function turned(stream: Stream, state: LiveState, atMs: number): Stream {
  return stream.state === state ? stream : { ...stream, state, sinceMs: atMs };
}

type Fields = { readonly [name: string]: unknown };

function parsed(data: string): Fields | null {
  try {
    const value: unknown = data === "" ? {} : JSON.parse(data);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function isEvent(value: Fields): value is Fields & LogEvent {
  return typeof value.pos === "number" && typeof value.kind === "string";
}

function isPiece(value: Fields): value is Fields & TextPiece {
  const { branch_id, turn_id, round, attempt, text } = value;
  return (
    [branch_id, turn_id, text].every((one) => typeof one === "string") &&
    [round, attempt].every((one) => typeof one === "number")
  );
}
