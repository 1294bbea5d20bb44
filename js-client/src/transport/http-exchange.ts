import type { Clock } from "../engine/clock.js";
import { FrameReader, type FrameListener } from "./http-frames.js";
import type { ConnectionSettings } from "../engine/options.js";
import type { ConnectionEnd } from "../engine/state.js";

/** Result of a request. */
export interface ExchangeEnd extends ConnectionEnd {
  /** True if the request was refused before any of it was processed. */
  readonly isRefused: boolean;
  /** Delay requested by the answer's Retry-After, in milliseconds; 0 without one. */
  readonly retryAfterMs: number;
}

// Time for which an answer may stay open after its close frame. A connection that is read to its
// end can be reused.
const LINGER_MS = 5_000;
const MAX_REASON = 200;
// Limit for the Retry-After of a proxy.
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * One HTTP request with the client's frames, and the stream of frames in its answer: PROTOCOL.md,
 * section 10.
 */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  /** Result; never rejected. */
  readonly end: Promise<ExchangeEnd>;

  constructor(settings: ConnectionSettings, frames: readonly string[], listener: FrameListener) {
    this.#clock = settings.clock;
    this.end = this.#run(settings, frames.join("\n"), listener).catch(broken);
  }

  /** Aborts the request; only its end is still reported. */
  abort(): void {
    this.#controller.abort();
  }

  async #run(
    settings: ConnectionSettings,
    body: string,
    listener: FrameListener,
  ): Promise<ExchangeEnd> {
    const { fetch = globalThis.fetch } = settings;
    const { signal } = this.#controller;
    const response = await fetch(streamUrl(settings), {
      method: "POST",
      // This type needs no preflight request from another origin.
      headers: { "content-type": "text/plain" },
      body,
      cache: "no-store",
      credentials: settings.credentials,
      signal,
    });
    if (!response.ok || !response.body) return refusal(response);
    const reader = response.body.getReader();
    const frames = new FrameReader(listener);
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted || done) return lost("the answer ended without a close frame");
      const end = frames.push(value);
      if (!end) continue;
      void this.#linger(reader);
      return { ...end, isRefused: false, retryAfterMs: 0 };
    }
  }

  async #linger(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const timer = this.#clock.setTimeout(() => {
      this.abort();
    }, LINGER_MS);
    try {
      while (!(await reader.read()).done);
    } catch {
      // Errors after the close frame are ignored.
    }
    this.#clock.clearTimeout(timer);
  }
}

function streamUrl(settings: ConnectionSettings): string {
  const url = new URL(settings.url.replace(/^ws/, "http"));
  url.pathname = url.pathname.replace(/[^/]*$/, "stream");
  url.searchParams.set("protocol", settings.subprotocol);
  return url.href;
}

async function refusal(response: Response): Promise<ExchangeEnd> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const reason = `HTTP ${String(status)}: ${text.trim().slice(0, MAX_REASON)}`;
  // Any other status may come from a proxy that had forwarded the request.
  const isRefused = (status >= 400 && status < 500) || status === 503;
  return { ...lost(reason), isRefused, retryAfterMs: retryAfter(response) };
}

/**
 * Returns the Retry-After in milliseconds. Dates are ignored: nodes send seconds, and a date would
 * require synchronized clocks.
 */
function retryAfter({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  return /^\d+$/.test(value) ? Math.min(Number(value) * 1_000, MAX_RETRY_AFTER_MS) : 0;
}

function broken(cause: unknown): ExchangeEnd {
  return lost(`HTTP failed: ${cause instanceof Error ? cause.message : String(cause)}`);
}

function lost(reason: string): ExchangeEnd {
  return { code: 1006, reason, isRefused: false, retryAfterMs: 0 };
}
