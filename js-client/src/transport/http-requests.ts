import { Exchange } from "./http-exchange.js";
import { SILENCE_MS, type StreamCount } from "./http-silence.js";
import type { ConnectionSettings } from "../engine/options.js";

/** Callbacks of the HTTP requests. */
export interface HttpRequestListener {
  /** A request was answered, by this text frame. */
  onAnswer(frame: string): void;
  /** All requests are complete. */
  onIdle(): void;
  /** A request has timed out. */
  onTimeout(): void;
  /** The credential is no longer accepted. */
  onUnauthorized(): void;
  /** The node refused a request and requires this delay before the next one; nothing was queued. */
  onRetryAfter(ms: number, reason: string): void;
}

/** Frame that was sent and is not answered yet. */
interface PendingRequest {
  readonly type: string;
  readonly ref: number;
  readonly topic?: string;
}

// A quarter of a node's default limit for one request.
const MAX_BODY = 256 * 1024;

const encoder = new TextEncoder();

/**
 * Requests outside the stream: publishes, other frames that are answered once, and pings while
 * there is no stream. Only one HTTP request
 * is in flight; the next one carries all frames added since. This preserves the order of the
 * publishes.
 */
export class HttpRequests {
  readonly #settings: ConnectionSettings;
  readonly #streams: StreamCount;
  readonly #listener: HttpRequestListener;
  readonly #waiting: string[] = [];
  #connect = "";
  #running: Exchange | undefined;
  #isStopped = false;

  constructor(settings: ConnectionSettings, streams: StreamCount, listener: HttpRequestListener) {
    this.#settings = settings;
    this.#streams = streams;
    this.#listener = listener;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  /**
   * Sets the first frame of each request. The `redirect` member is removed, as nodes redirect only
   * streams.
   */
  setConnectFrame(connect: string): void {
    const { redirect, ...rest } = JSON.parse(connect) as { readonly redirect?: boolean };
    this.#connect = redirect === undefined ? connect : JSON.stringify(rest);
  }

  /** Queues a frame. */
  add(frame: string): void {
    this.#waiting.push(frame);
    // Publishes of one task share a request.
    queueMicrotask(() => {
      this.#next();
    });
  }

  /**
   * Aborts all requests without further callbacks. The node may have processed the one in flight.
   */
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

  /** Removes the oldest frames that fit into one request, at least one. */
  #take(): string[] {
    let bytes = encoder.encode(this.#connect).length;
    const overflow = this.#waiting.findIndex((frame, index) => {
      bytes += encoder.encode(frame).length + 1;
      return index > 0 && bytes > MAX_BODY;
    });
    return this.#waiting.splice(0, overflow < 0 ? this.#waiting.length : overflow);
  }

  async #run(frames: readonly string[]): Promise<void> {
    const requests = frames.map((frame) => JSON.parse(frame) as PendingRequest);
    const open = new Map(requests.map((request) => [request.ref, request]));
    const { clock, publishTimeout } = this.#settings;
    let hasHello = false;
    const exchange = new Exchange(this.#settings, [this.#connect, ...frames], {
      onText: (text) => {
        if (this.#onText(text, open) === "hello") hasHello = true;
      },
      onBinary: () => undefined,
      onPing: () => undefined,
    });
    this.#running = exchange;
    const timer = clock.setTimeout(() => {
      this.#listener.onTimeout();
    }, publishTimeout);
    const end = { limit: undefined as string | undefined };
    const diagnosis = clock.setTimeout(
      () => {
        void this.#streams.limitReason().then((limit) => {
          if (limit === undefined || this.#running !== exchange) return;
          end.limit = limit;
          exchange.abort();
        });
      },
      Math.min(SILENCE_MS, publishTimeout / 2),
    );
    const { code, reason: ended, isRefused, retryAfterMs } = await exchange.end;
    const reason = end.limit ?? ended;
    clock.clearTimeout(timer);
    clock.clearTimeout(diagnosis);
    this.#running = undefined;
    if (this.#isStopped) return;
    // A node processes no frame before its hello.
    const isUnauthorized = this.#settings.isTokenRejected(code) && !hasHello;
    const isNotSent = isRefused || isUnauthorized;
    for (const request of open.values()) this.#fail(request, isNotSent, reason);
    if (isUnauthorized) this.#listener.onUnauthorized();
    if (retryAfterMs > 0) {
      this.#rejectWaiting(reason);
      this.#listener.onRetryAfter(retryAfterMs, reason);
    } else if (end.limit !== undefined) this.#rejectWaiting(reason);
    this.#next();
    if (this.isIdle) this.#listener.onIdle();
  }

  /**
   * Rejects the queued publishes: they must not be sent long after the application has given up on
   * them.
   */
  #rejectWaiting(reason: string): void {
    for (const frame of this.#waiting.splice(0))
      this.#fail(JSON.parse(frame) as PendingRequest, true, reason);
  }

  /** Handles an answer; returns its type. */
  #onText(text: string, open: Map<number, PendingRequest>): string {
    const { type, ref } = JSON.parse(text) as { readonly type: string; readonly ref?: number };
    // Each request is a separate session; frames without a ref don't concern the stream.
    if (!this.#isStopped && ref !== undefined && open.delete(ref)) this.#listener.onAnswer(text);
    return type;
  }

  #fail({ type, ref, topic }: PendingRequest, isNotSent: boolean, reason: string): void {
    if (type === "ping") return;
    const what = type === "publish" ? "the message" : `the ${type}`;
    const message = isNotSent
      ? `the request was refused, ${what} was not sent: ${reason}`
      : `the request ended before the answer, ${what} may have been executed: ${reason}`;
    const code = isNotSent ? "not-sent" : "connection-lost";
    this.#listener.onAnswer(JSON.stringify({ type: "error", ref, code, message, topic }));
  }
}
