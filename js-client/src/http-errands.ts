import { asksForToken } from "./close-codes.js";
import { Exchange } from "./http-exchange.js";
import type { ConnectionSettings } from "./options.js";

/** Hears of errands. */
export interface ErrandListener {
  /** An answer to one of them, as a text frame. */
  onAnswer(frame: string): void;
  /** All that were given have been done. */
  onIdle(): void;
  /** An answer did not come in time, and no other is to be had. */
  onLate(): void;
  /** The credential is not taken any more. */
  onUnauthorized(): void;
  /** A request was refused, and the next one is to wait this long; nothing was kept for it. */
  onRetryAfter(ms: number, reason: string): void;
}

/** A frame that waits for its answer. */
interface Errand {
  readonly type: string;
  readonly ref: number;
  readonly topic?: string;
}

// A quarter of what a node takes in one request by default.
const MAX_BODY = 256 * 1024;

const encoder = new TextEncoder();

/**
 * Frames that want an answer but no stream: publishes, and pings where there is no stream. One
 * request at a time takes all that was given meanwhile, so the order of the publishes is kept.
 */
export class Errands {
  readonly #settings: ConnectionSettings;
  readonly #listener: ErrandListener;
  readonly #waiting: string[] = [];
  #connect = "";
  #running: Exchange | undefined;
  #isStopped = false;

  constructor(settings: ConnectionSettings, listener: ErrandListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  /** The frame with which each request begins; a node sends only streams elsewhere. */
  introduce(connect: string): void {
    const { redirect, ...rest } = JSON.parse(connect) as { readonly redirect?: boolean };
    this.#connect = redirect === undefined ? connect : JSON.stringify(rest);
  }

  /** Does this, once those before are done. */
  add(frame: string): void {
    this.#waiting.push(frame);
    // What the application publishes in one turn goes together.
    queueMicrotask(() => {
      this.#next();
    });
  }

  /** Nothing more is done or heard; what was under way may have been done. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    this.#running?.abort();
  }

  #next(): void {
    if (this.#running || this.#isStopped) return;
    const frames = this.#take();
    if (frames.length > 0) void this.#run(frames);
  }

  /** The oldest frames that have room in one request, at least one. */
  #take(): string[] {
    let bytes = encoder.encode(this.#connect).length;
    const tooMuch = this.#waiting.findIndex((frame, index) => {
      bytes += encoder.encode(frame).length + 1;
      return index > 0 && bytes > MAX_BODY;
    });
    return this.#waiting.splice(0, tooMuch < 0 ? this.#waiting.length : tooMuch);
  }

  async #run(frames: readonly string[]): Promise<void> {
    const errands = frames.map((frame) => JSON.parse(frame) as Errand);
    const open = new Map(errands.map((errand) => [errand.ref, errand]));
    const { clock, publishTimeout } = this.#settings;
    let hasBegun = false;
    const exchange = new Exchange(this.#settings, [this.#connect, ...frames], {
      onText: (text) => {
        if (this.#onText(text, open) === "hello") hasBegun = true;
      },
      onBinary: () => undefined,
      onPing: () => undefined,
    });
    this.#running = exchange;
    const timer = clock.setTimeout(() => {
      this.#listener.onLate();
    }, publishTimeout);
    const { code, reason, isRefused, retryAfterMs } = await exchange.end;
    clock.clearTimeout(timer);
    this.#running = undefined;
    if (this.#isStopped) return;
    // Before its hello a node does nothing of what it was told.
    const isUnauthorized = asksForToken(code) && !hasBegun;
    const isUndone = isRefused || isUnauthorized;
    for (const errand of open.values()) this.#fail(errand, isUndone, reason);
    if (isUnauthorized) this.#listener.onUnauthorized();
    if (retryAfterMs > 0) this.#giveBack(retryAfterMs, reason);
    this.#next();
    if (this.isIdle) this.#listener.onIdle();
  }

  /** What waits was not sent either, and must not be sent long after its publisher has given up. */
  #giveBack(retryAfterMs: number, reason: string): void {
    for (const frame of this.#waiting.splice(0))
      this.#fail(JSON.parse(frame) as Errand, true, reason);
    this.#listener.onRetryAfter(retryAfterMs, reason);
  }

  /** Returns the type of the frame. */
  #onText(text: string, open: Map<number, Errand>): string {
    const { type, ref } = JSON.parse(text) as { readonly type: string; readonly ref?: number };
    // The request is a session of its own; its hello and the like are not that of the stream.
    if (!this.#isStopped && ref !== undefined && open.delete(ref)) this.#listener.onAnswer(text);
    return type;
  }

  #fail({ type, ref, topic }: Errand, isUndone: boolean, reason: string): void {
    if (type !== "publish") return;
    const message = isUndone
      ? `the request was refused, the message was not sent: ${reason}`
      : `the request ended before the answer, the message may have been published: ${reason}`;
    const code = isUndone ? "not-sent" : "connection-lost";
    this.#listener.onAnswer(JSON.stringify({ type: "error", ref, code, message, topic }));
  }
}
