import type { Clock } from "./clock.js";
import { FrameReader, type FrameListener } from "./http-frames.js";
import type { ConnectionSettings } from "./options.js";
import type { ConnectionEnd } from "./state.js";
import { subprotocol } from "./transport.js";

/** How a request ended. */
export interface ExchangeEnd extends ConnectionEnd {
  /** It was refused before anything of it was done. */
  readonly isRefused: boolean;
  /** How long to stay away, as the answer says, in milliseconds; 0 if it says nothing. */
  readonly retryAfterMs: number;
}

// How long an answer may stay open behind its close frame. A connection that is read to its end can
// be used again.
const LINGER_MS = 5_000;
const MAX_REASON = 200;
// A proxy may say anything; a client is not lost for longer than this.
const MAX_RETRY_AFTER_MS = 60_000;

/** One request: what the client has to say, and the frames that come back. PROTOCOL.md, section 10. */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  /** How it ended; never rejected. */
  readonly end: Promise<ExchangeEnd>;

  constructor(settings: ConnectionSettings, frames: readonly string[], listener: FrameListener) {
    this.#clock = settings.clock;
    this.end = this.#run(settings, frames.join("\n"), listener).catch(broken);
  }

  /** Ends it; nothing more is heard of it but its end. */
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
      // A type that needs no preflight request from another origin.
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
      // What is wrong behind the last frame concerns nobody.
    }
    this.#clock.clearTimeout(timer);
  }
}

function streamUrl(settings: ConnectionSettings): string {
  const url = new URL(settings.url.replace(/^ws/, "http"));
  url.pathname = url.pathname.replace(/[^/]*$/, "stream");
  url.searchParams.set("protocol", subprotocol(settings));
  return url.href;
}

async function refusal(response: Response): Promise<ExchangeEnd> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const reason = `HTTP ${String(status)}: ${text.trim().slice(0, MAX_REASON)}`;
  // Any other status may come from a proxy that had passed the request on.
  const isRefused = (status >= 400 && status < 500) || status === 503;
  return { ...lost(reason), isRefused, retryAfterMs: retryAfter(response) };
}

/** Only seconds count, which is what nodes say: a date would need a clock like theirs. */
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
