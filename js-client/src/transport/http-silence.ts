import { Exchange } from "./http-exchange.js";
import { see } from "../engine/documentation.js";
import type { ConnectionSettings } from "../engine/options.js";

/** Time without an answer after which a request over HTTP is diagnosed, in milliseconds. */
export const SILENCE_MS = 5_000;

// Connections that browsers open to a host over HTTP/1.1, for all pages together.
const BROWSER_LIMIT = 6;
// Time in which other pages report their streams.
const ANSWER_MS = 500;

/** Message between pages: a question, or the answer of one that holds a stream. */
interface StreamMessage {
  readonly ask?: string;
  readonly answer?: string;
}

/** Count of the HTTP streams that the pages of this origin hold to one host. */
export class StreamCount {
  readonly #settings: ConnectionSettings;
  readonly #hasStream: () => boolean;
  readonly #channel: BroadcastChannel | undefined;
  readonly #host: string;
  #asked = "";
  #answers = 0;

  /** @param hasStream - Returns whether this page holds a stream. */
  constructor(settings: ConnectionSettings, hasStream: () => boolean) {
    this.#settings = settings;
    this.#hasStream = hasStream;
    this.#host = new URL(settings.url).host;
    // Only browsers limit connections.
    const { location } = globalThis as Partial<typeof globalThis>;
    if (!location?.protocol.startsWith("http") || !("BroadcastChannel" in globalThis)) return;
    this.#channel = new BroadcastChannel(`sluice-streams:${this.#host}`);
    this.#channel.onmessage = ({ data }: MessageEvent<StreamMessage>) => {
      const { ask, answer } = data;
      if (ask !== undefined && this.#hasStream()) this.#channel?.postMessage({ answer: ask });
      if (answer !== undefined && answer === this.#asked) this.#answers++;
    };
  }

  close(): void {
    this.#channel?.close();
  }

  /** Warns on the console if this page has taken the last connection: further ones do not load. */
  async warn(): Promise<void> {
    const reason = await this.limitReason();
    if (reason === undefined) return;
    console.warn(`[sluice] ${reason} ${see("Troubleshoot a connection", "connection-limit")}`);
  }

  /** Returns why the browser sends no further request to this host; undefined if it may do so. */
  async limitReason(): Promise<string | undefined> {
    if (!this.#channel || isMultiplexed(this.#host)) return undefined;
    const { clock, random } = this.#settings;
    this.#asked = String(random());
    this.#answers = 0;
    this.#channel.postMessage({ ask: this.#asked });
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ANSWER_MS));
    const streams = this.#answers + Number(this.#hasStream());
    if (streams < BROWSER_LIMIT) return undefined;
    return `connection-limit: ${String(streams)} pages hold an HTTP stream to ${this.#host}, and browsers open at most ${String(BROWSER_LIMIT)} connections to a host over HTTP/1.1. Permit WebSockets, share one connection (connectShared), or serve HTTP/2.`;
  }
}

/** Returns whether a proxy buffers the answers of this address, and how to mend it. */
export async function bufferReason(
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ignore = (): void => undefined;
  // Its answer is complete at once; without a credential it is a close frame.
  const ping = new Exchange(settings, ['{"type":"ping","ref":1}'], {
    onText: ignore,
    onBinary: ignore,
    onPing: ignore,
  });
  signal.addEventListener("abort", () => {
    ping.abort();
  });
  if ((await ping.end).code === 1006) return undefined;
  return `buffered-stream: a proxy buffers the HTTP stream of ${settings.url}: complete answers arrive, but not the frames of a stream. Disable the buffering of responses for /stream in the proxy.`;
}

/** Returns whether requests to this host are known to share a connection. */
function isMultiplexed(host: string): boolean {
  const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return entries.some(
    ({ name, nextHopProtocol }) => /^h[23]/.test(nextHopProtocol) && new URL(name).host === host,
  );
}
