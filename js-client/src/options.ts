import type { BackoffBounds } from "./backoff.js";
import { systemClock, type Clock } from "./clock.js";
import { invalidArgument } from "./errors.js";
import type { WebSocketConstructor } from "./socket.js";

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
  /** The WebSocket class; default the global one. Node 20 has none: pass that of `ws`. */
  readonly WebSocket?: WebSocketConstructor;
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
  readonly WebSocket: WebSocketConstructor;
  readonly clock: Clock;
  readonly random: () => number;
}

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
    WebSocket: webSocket(options.WebSocket),
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

function webSocket(value: WebSocketConstructor | undefined): WebSocketConstructor {
  const found = value ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (typeof found === "function") return found;
  throw invalidArgument(
    "WebSocket",
    'a WebSocket class, for example that of the package "ws"',
    found,
  );
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
