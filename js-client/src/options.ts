import type { BackoffBounds } from "./backoff.js";
import { systemClock, type Clock } from "./clock.js";
import { invalidArgument } from "./errors.js";
import type { WebSocketConstructor } from "./socket.js";
import type { Transport } from "./transport.js";

/** How messages travel: `binary` costs least, `json` can be read in the browser's tools. */
export type Encoding = "binary" | "json";

/** A credential, or a function that is asked for one at each connection. */
export type Token = string | (() => string | Promise<string>);

/** Options of {@link connect}. All of them may be left out. */
export interface ConnectOptions {
  /** Default `binary`. */
  readonly encoding?: Encoding;
  /** Default none. */
  readonly token?: Token;
  /** Upper bound of the wait after the first failure, in milliseconds; default 500. */
  readonly minBackoff?: number;
  /** Upper bound of any wait between two tries, in milliseconds; default 30,000. */
  readonly maxBackoff?: number;
  /** How long a try may take until the node has said hello, in milliseconds; default 10,000. */
  readonly connectTimeout?: number;
  /** How long a publish may take, its time in the queue included, in ms; default 30,000. */
  readonly publishTimeout?: number;
  /** Publishes that may wait for a connection or an answer; past it they fail. Default 1,000. */
  readonly maxPublishes?: number;
  /** How the client may connect; default both. WebSocket comes first, HTTP where that fails. */
  readonly transports?: readonly Transport[];
  /** The WebSocket class; default the global one. Node 20 has none: pass that of `ws`. */
  readonly WebSocket?: WebSocketConstructor;
  /** For HTTP; default the global one where it hands out answers while they come. */
  readonly fetch?: typeof globalThis.fetch;
  /** Source of time and timers; for tests. */
  readonly clock?: Clock;
  /** Source of random numbers from 0 up to, but not including, 1; for tests. */
  readonly random?: () => number;
}

/** The options with every default in its place, checked. */
export interface Settings {
  readonly url: string;
  readonly encoding: Encoding;
  readonly token: Token | undefined;
  readonly backoff: BackoffBounds;
  readonly connectTimeout: number;
  readonly publishTimeout: number;
  readonly maxPublishes: number;
  /** Those that are wanted and can be had, at least one. */
  readonly transports: readonly Transport[];
  readonly WebSocket: WebSocketConstructor | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const TRANSPORTS: readonly Transport[] = ["websocket", "http"];

// Timers take 31 bits; a longer time would fire at once.
const MAX_MS = 2 ** 31 - 1;

/** Checks what the application passed to connect; throws what is wrong. */
export function toSettings(url: string | URL, options: ConnectOptions): Settings {
  const min = number("minBackoff", options.minBackoff, 500, 0, MAX_MS);
  return {
    url: webSocketUrl(url),
    encoding: encoding(options.encoding),
    token: token(options.token),
    backoff: {
      min,
      max: number("maxBackoff", options.maxBackoff, Math.max(min, 30_000), min, MAX_MS),
    },
    connectTimeout: number("connectTimeout", options.connectTimeout, 10_000, 1, MAX_MS),
    publishTimeout: number("publishTimeout", options.publishTimeout, 30_000, 1, MAX_MS),
    maxPublishes: number("maxPublishes", options.maxPublishes, 1_000, 1, 1_000_000),
    ...transports(options),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function webSocketUrl(url: unknown): string {
  const expected = 'a URL such as "wss://example.com/ws"';
  let parsed: URL;
  try {
    parsed = new URL(String(url));
  } catch {
    throw invalidArgument("url", expected, url);
  }
  const known = parsed.protocol === "ws:" || parsed.protocol === "wss:";
  if (!known || parsed.hash !== "") throw invalidArgument("url", expected, parsed.href);
  return parsed.href;
}

function encoding(value: unknown): Encoding {
  if (value === undefined) return "binary";
  if (value === "binary" || value === "json") return value;
  throw invalidArgument("encoding", '"binary" or "json"', value);
}

function token(value: Token | undefined): Token | undefined {
  if (value === undefined || typeof value === "string" || typeof value === "function") return value;
  throw invalidArgument("token", "a string or a function", value);
}

function transports(options: ConnectOptions): Pick<Settings, "transports" | "WebSocket" | "fetch"> {
  const asked = wanted(options.transports);
  const WebSocket = webSocket(options.WebSocket);
  const fetch = streamingFetch(options.fetch);
  const transports = asked.filter((one) => (one === "http" ? fetch : WebSocket) !== undefined);
  if (transports.length > 0) return { transports, WebSocket, fetch };
  if (asked.includes("websocket")) throw notWebSocket(undefined);
  throw invalidArgument("fetch", "one that hands out answers while they come", options.fetch);
}

function wanted(value: unknown): readonly Transport[] {
  if (value === undefined) return TRANSPORTS;
  const known = (one: unknown): boolean => TRANSPORTS.includes(one as Transport);
  if (Array.isArray(value) && value.length > 0 && value.every(known)) {
    return TRANSPORTS.filter((one) => value.includes(one));
  }
  throw invalidArgument("transports", 'a list of "websocket" and "http"', value);
}

function webSocket(value: unknown): WebSocketConstructor | undefined {
  const found = value ?? (globalThis as { WebSocket?: unknown }).WebSocket;
  if (found === undefined) return undefined;
  if (typeof found === "function") return found as WebSocketConstructor;
  throw notWebSocket(found);
}

function notWebSocket(found: unknown): Error {
  const expected = 'a WebSocket class, for example that of the package "ws"';
  return invalidArgument("WebSocket", expected, found);
}

function streamingFetch(value: unknown): Settings["fetch"] {
  if (typeof value === "function") return value as typeof globalThis.fetch;
  if (value !== undefined) throw invalidArgument("fetch", "a function", value);
  const { fetch, Response } = globalThis as Partial<typeof globalThis>;
  // In React Native and in old engines an answer has no body that can be read while it comes.
  return Response && "body" in Response.prototype ? fetch : undefined;
}

function number(
  name: string,
  value: number | undefined,
  byDefault: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return byDefault;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidArgument(name, `a whole number from ${String(min)} to ${String(max)}`, value);
}
