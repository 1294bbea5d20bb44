import { check, checkOneOf } from "./arguments.js";
import { backoff, type BackoffBounds } from "./backoff.js";
import { systemClock, type Clock } from "./clock.js";
import type { WebSocketConstructor } from "./socket.js";

/** Transport of frames: WebSocket, or streamed answers of plain HTTP where that is blocked. */
export type Transport = "websocket" | "http";

/** How messages travel: `binary` costs least, `json` can be read in the browser's tools. */
export type Encoding = "binary" | "json";

/**
 * A function that gives a credential that is good now, or a promise of one. It is asked at each
 * connection, before the credential of a session ends, and once more when a node refused one. What
 * it throws is told as the error `no-token`, and it is asked again.
 */
export type TokenProvider = () => string | Promise<string>;

/** A credential, or what is asked for one. */
export type Token = string | TokenProvider;

/**
 * The node's endpoint, such as `wss://example.com/ws`, or several, the best one first: of two sites,
 * or of nodes without a load balancer.
 */
export type Address = string | URL | readonly (string | URL)[];

/** Options of {@link connect}. All of them may be left out. */
export interface ConnectOptions {
  /** Default `binary`. */
  readonly encoding?: Encoding;
  /**
   * Who the client is: a string, with which the client ends when it does, or a function, with which
   * it stays. It goes to the node in the first frame, never in the URL. Default none.
   */
  readonly token?: Token;
  /** Upper bound of the wait after the first failure, in milliseconds; default 500. */
  readonly minBackoff?: number;
  /** Upper bound of any wait between two tries, in milliseconds; default 30,000. */
  readonly maxBackoff?: number;
  /** How long a try may take until the node has said hello, in milliseconds; default 10,000. */
  readonly connectTimeout?: number;
  /**
   * How long an attempt may be pending before the next of several addresses is tried beside it, in
   * milliseconds; default 1,000. The delay is random between this value and twice this value.
   */
  readonly attemptDelay?: number;
  /**
   * How long a node may be without its broker before the client looks for another one at the other
   * addresses, in milliseconds; default 2,500. Random as `attemptDelay`.
   */
  readonly staleTimeout?: number;
  /** How long a publish may take, its time in the queue included, in ms; default 30,000. */
  readonly publishTimeout?: number;
  /** Publishes that may wait for a connection or an answer; past it they fail. Default 1,000. */
  readonly maxPublishes?: number;
  /** How the client may connect; default both. WebSocket comes first, HTTP where that fails. */
  readonly transports?: readonly Transport[];
  /**
   * Whether nodes may send the client to an address that they name; default true. It never follows
   * from `wss` to `ws`.
   */
  readonly redirect?: boolean;
  /** The WebSocket class; default the global one. Node 20 has none: pass that of `ws`. */
  readonly WebSocket?: WebSocketConstructor;
  /** For HTTP; default the global one where it hands out answers while they come. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Whether requests by HTTP carry the browser's credentials for the node, as in `fetch`: cookies,
   * client certificates and Kerberos tickets. Default `omit`. With `include`, the node has to list the
   * page's origin by name. A WebSocket always carries cookies.
   */
  readonly credentials?: "omit" | "include";
  /** Source of time and timers; for tests. */
  readonly clock?: Clock;
  /** Source of random numbers from 0 up to, but not including, 1; for tests. */
  readonly random?: () => number;
}

/** The options with every default in its place, checked. */
export interface Settings {
  /** In the order in which they are to be tried; at least one. */
  readonly urls: readonly string[];
  readonly redirect: boolean;
  readonly encoding: Encoding;
  readonly token: Token | undefined;
  readonly maxBackoff: number;
  /** How long to wait after so many failures in a row, by default within the bounds of the options. */
  readonly backoff: (failures: number, bounds?: BackoffBounds) => number;
  readonly connectTimeout: number;
  readonly attemptDelay: number;
  readonly staleTimeout: number;
  readonly publishTimeout: number;
  readonly maxPublishes: number;
  /** Those that are wanted and can be had, at least one. */
  readonly transports: readonly Transport[];
  readonly WebSocket: WebSocketConstructor | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly credentials: "omit" | "include";
  readonly clock: Clock;
  readonly random: () => number;
}

/** The settings of one connection. */
export interface ConnectionSettings extends Settings {
  /** Where it goes. */
  readonly url: string;
}

const TRANSPORTS: readonly Transport[] = ["websocket", "http"];

// Timers take 31 bits; a longer time would fire at once.
const MAX_MS = 2 ** 31 - 1;

/** Checks what the application passed to connect; throws what is wrong. */
export function toSettings(url: Address, options: ConnectOptions): Settings {
  const { encoding = "binary", token, clock = systemClock, random = Math.random } = options;
  const { credentials = "omit" } = options;
  checkOneOf("encoding", ["binary", "json"], encoding);
  checkOneOf("credentials", ["omit", "include"], credentials);
  const isToken = ["undefined", "string", "function"].includes(typeof token);
  check(isToken, "token", "a string or a function", token);
  const min = number(options, "minBackoff", 500, 0, MAX_MS);
  const max = number(options, "maxBackoff", Math.max(min, 30_000), min, MAX_MS);
  return {
    urls: webSocketUrls(url),
    redirect: options.redirect !== false,
    encoding,
    token,
    maxBackoff: max,
    backoff: (failures, bounds = { min, max }) => backoff(failures, bounds, random),
    connectTimeout: number(options, "connectTimeout", 10_000, 1, MAX_MS),
    attemptDelay: number(options, "attemptDelay", 1_000, 1, MAX_MS),
    staleTimeout: number(options, "staleTimeout", 2_500, 1, 2 ** 30),
    publishTimeout: number(options, "publishTimeout", 30_000, 1, MAX_MS),
    maxPublishes: number(options, "maxPublishes", 1_000, 1, 1_000_000),
    ...transports(options),
    credentials,
    clock,
    random,
  };
}

function webSocketUrls(given: Address): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(given) && given.length > 0 ? given : [given];
  return urls.map(webSocketUrl);
}

function webSocketUrl(url: unknown): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(String(url));
  } catch {
    // It is told below.
  }
  const { href } = parsed ?? {};
  const isUsable = href !== undefined && isWebSocketUrl(href);
  check(isUsable, "url", 'a URL such as "wss://example.com/ws"', href ?? url);
  return href;
}

/** Whether a URL is one to which a WebSocket can go, which has no fragment. */
export function isWebSocketUrl(url: string): boolean {
  return /^wss?:[^#]*$/.test(url);
}

function transports(options: ConnectOptions): Pick<Settings, "transports" | "WebSocket" | "fetch"> {
  const asked = wanted(options.transports);
  const { WebSocket = (globalThis as ConnectOptions).WebSocket } = options;
  const fetch = streamingFetch(options.fetch);
  const transports = asked.filter((one) => (one === "http" ? fetch : WebSocket) !== undefined);
  const isNeeded = transports.length === 0 && asked.includes("websocket");
  const isClass = typeof WebSocket === (isNeeded || WebSocket ? "function" : "undefined");
  check(isClass, "WebSocket", 'a WebSocket class, for example that of the package "ws"', WebSocket);
  const expected = "one that hands out answers while they come";
  check(transports.length > 0, "fetch", expected, options.fetch);
  return { transports, WebSocket, fetch };
}

function wanted(asked: unknown = TRANSPORTS): readonly Transport[] {
  const list: readonly unknown[] = Array.isArray(asked) ? asked : [];
  const wrong = list.find((one) => !(TRANSPORTS as readonly unknown[]).includes(one)) ?? asked;
  const isRight = list.length > 0 && wrong === asked;
  check(isRight, "transports", 'a list of "websocket" and "http"', wrong);
  return TRANSPORTS.filter((one) => list.includes(one));
}

function streamingFetch(given: Settings["fetch"]): Settings["fetch"] {
  check(given === undefined || typeof given === "function", "fetch", "a function", given);
  const { fetch, Response } = globalThis as Partial<typeof globalThis>;
  // In React Native and in old engines an answer has no body that can be read while it comes.
  return given ?? (Response && "body" in Response.prototype ? fetch : undefined);
}

function number(
  options: ConnectOptions,
  name: (`${string}${"Backoff" | "Delay" | "Timeout"}` & keyof ConnectOptions) | "maxPublishes",
  byDefault: number,
  min: number,
  max: number,
): number {
  const { [name]: value = byDefault } = options;
  const isInRange = Number.isInteger(value) && value >= min && value <= max;
  check(isInRange, name, `a whole number from ${String(min)} to ${String(max)}`, value);
  return value;
}
