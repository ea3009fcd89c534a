import { PROTOCOL_VERSION } from "./client";
import {
  BEGINNING,
  backOffMs,
  barred,
  cursor,
  FRAMES,
  type LiveState,
  type LogEvent,
  lost,
  type Stream,
  type TextPiece,
  taking,
} from "./stream";
import { joined, type LiveText, NO_TEXTS, settled, type Texts } from "./texts";

/** What a person is told of the stream. */
export type Standing = Pick<Stream, "state" | "sinceMs" | "farewell">;

/** What the hub needs of an `EventSource`. */
export type Source = {
  addEventListener: (frame: string, heard: (event: Event) => void) => void;
  close: () => void;
};

/** The world outside: how to dial, and how to ask why it failed. */
export type Outside = {
  readonly dial: (url: string) => Source;
  /** Asks why the stream cannot be had; `null` when only time can tell. */
  readonly whyNot: () => Promise<"logged_out" | "outdated" | null>;
};

const HIDDEN_MS = 1_000;
const TICK_MS = 15_000;
/** Browsers let the clocks of a page that nobody looks at tick once a minute; one that is later has slept. */
const ASLEEP_MS = 120_000;

/**
 * The one stream of the page. Events are handed on at most once per frame that the browser draws, or
 * once a second while nobody looks, so no rate of events can keep the page busy.
 */
export class Hub {
  private stream: Stream = BEGINNING;
  private shown: Stream = BEGINNING;
  private stood: Standing = BEGINNING;
  private texts: Texts = NO_TEXTS;
  private events: LogEvent[] = [];
  private pieces: TextPiece[] = [];
  private isReset = false;
  private source: Source | null = null;
  private ticking: ReturnType<typeof setInterval> | undefined;
  private tickedMs = 0;
  private redial: ReturnType<typeof setTimeout> | undefined;
  private waiting: (() => void) | undefined;
  private readonly watchers = new Set<() => void>();
  private readonly readers = new Set<(events: LogEvent[]) => void>();
  private readonly resetters = new Set<() => void>();

  constructor(private readonly outside: Outside) {}

  /** How the stream stands; the same object until that has changed, however many events come. */
  readonly standing = (): Standing => {
    const { state, sinceMs, farewell } = this.shown;
    const was = this.stood;
    if (was.state !== state || was.sinceMs !== sinceMs || was.farewell !== farewell)
      this.stood = { state, sinceMs, farewell };
    return this.stood;
  };

  /** The answer of an agent as it streams. */
  readonly textOf = (branchId: string): LiveText | null => this.texts.get(branchId) ?? null;

  /** Be told when `current` or a text has changed. */
  readonly watch = (told: () => void): (() => void) => added(this.watchers, told);

  /** Be handed the events of the log, each once. */
  readonly read = (handle: (events: LogEvent[]) => void): (() => void) => added(this.readers, handle);

  /** Be told that events are missing, so that everything has to be asked anew. */
  readonly onReset = (handle: () => void): (() => void) => added(this.resetters, handle);

  start(): void {
    document.addEventListener("visibilitychange", this.looked);
    this.tickedMs = Date.now();
    this.ticking = setInterval(this.tick, TICK_MS);
    this.dial();
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.looked);
    clearInterval(this.ticking);
    clearTimeout(this.redial);
    this.waiting?.();
    this.waiting = undefined;
    this.hangUp();
  }

  /** Try again at once. */
  readonly tryNow = (): void => {
    clearTimeout(this.redial);
    this.dial();
  };

  /** Some answer of the daemon has said that it lets nobody in. */
  bar(as: "logged_out" | "outdated"): void {
    clearTimeout(this.redial);
    this.hangUp();
    this.stream = barred(this.stream, as, Date.now());
    this.flush();
  }

  private dial(): void {
    this.hangUp();
    const place = cursor(this.stream);
    const after = place === "" ? "" : `&after=${place}`;
    const source = this.outside.dial(`/api/v1/events?text=all&protocol=${PROTOCOL_VERSION}${after}`);
    this.source = source;
    for (const frame of FRAMES) {
      source.addEventListener(frame, (event) => {
        // The browser's own `open` carries no data.
        if (source === this.source && event instanceof MessageEvent) this.take(frame, String(event.data));
      });
    }
    source.addEventListener("error", () => {
      if (source === this.source) void this.failed();
    });
  }

  private hangUp(): void {
    this.source?.close();
    this.source = null;
  }

  private take(frame: string, data: string): void {
    const before = this.stream.state;
    const { stream, event, piece, reset, broken } = taking(this.stream, frame, data, Date.now());
    this.stream = stream;
    if (event) this.events.push(event);
    if (broken) this.dropTexts();
    if (piece) this.pieces.push(piece);
    if (reset) this.isReset = true;
    if (stream.state === "outdated") this.bar("outdated");
    else if (stream.state !== before) this.flush();
    else this.flushSoon();
  }

  private dropTexts(): void {
    this.pieces = [];
    this.texts = NO_TEXTS;
  }

  private async failed(): Promise<void> {
    this.hangUp();
    const isFirst = this.stream.state === "connecting";
    this.stream = lost(this.stream, Date.now());
    // Before the first success the page shows nothing yet, and need not before it knows what to say.
    if (!isFirst) this.flush();
    const { tries } = this.stream;
    clearTimeout(this.redial);
    this.redial = setTimeout(this.tryNow, backOffMs(tries));
    const why = await this.outside.whyNot();
    if (why !== null && this.source === null) this.bar(why);
    else this.flush();
  }

  /** A machine that has slept may hold a line at whose other end there is nobody any more. */
  private readonly tick = (): void => {
    const sleptMs = Date.now() - this.tickedMs;
    this.tickedMs = Date.now();
    if (sleptMs < ASLEEP_MS || this.stream.state !== "live") return;
    this.stream = lost(this.stream, Date.now());
    this.flush();
    this.tryNow();
  };

  private readonly looked = (): void => {
    if (document.hidden) return;
    if (isBarred(this.stream.state) || this.stream.state === "lost") this.tryNow();
    this.flush();
  };

  private flushSoon(): void {
    if (this.waiting) return;
    if (document.hidden) {
      const timer = setTimeout(this.flush, HIDDEN_MS);
      this.waiting = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(this.flush);
      this.waiting = () => cancelAnimationFrame(frame);
    }
  }

  private readonly flush = (): void => {
    this.waiting?.();
    this.waiting = undefined;
    const { events, pieces, isReset, texts, stream } = this;
    this.events = [];
    this.pieces = [];
    this.isReset = false;
    this.texts = settled(joined(texts, pieces), events);
    const changed = this.shown !== stream || this.texts !== texts;
    this.shown = stream;
    if (isReset) for (const told of [...this.resetters]) told();
    if (events.length > 0) for (const handle of [...this.readers]) handle(events);
    if (changed || isReset) for (const told of [...this.watchers]) told();
  };
}

function isBarred(state: LiveState): boolean {
  return state === "logged_out" || state === "outdated";
}

function added<T>(all: Set<T>, one: T): () => void {
  all.add(one);
  return () => {
    all.delete(one);
  };
}
