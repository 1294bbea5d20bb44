import { check, checkObject, checkOneOf, checkOptions } from "./arguments.js";
import { backoff, type BackoffBounds } from "../transport/backoff.js";
import { systemClock, type Clock } from "./clock.js";
import type { FrameInflater } from "../transport/compressed-frames.js";
import type { WebSocketConstructor } from "../transport/socket.js";
import type { MessageStore } from "../store/message-store.js";
import type { SchemaMap } from "./topic-map.js";

/** Transport of frames: WebSocket, or streamed HTTP responses where WebSockets are blocked. */
export type Transport = "websocket" | "http";

/**
 * Encoding of messages: `binary` is the most compact one, `json` is readable in the browser's
 * tools.
 */
export type Encoding = "binary" | "json";

/**
 * Function that returns a currently valid credential, or a promise of one. It is called for each
 * connection, before a session's credential expires, and again after a node has refused one. A
 * failure is reported as the error `no-token`, and the call is repeated later. `LoggedOut` closes the
 * client instead. A token of another subject ends the session; see the event `identity-changed`.
 */
export type TokenProvider = () => string | Promise<string>;

/** Credential, or a function that returns one. */
export type Token = string | TokenProvider;

/**
 * Endpoint of the node, such as `wss://example.com/ws`, or several in order of preference: two
 * sites, or nodes without a load balancer. `https:` and `http:` mean `wss:` and `ws:`. In a page,
 * an address that begins with `/` or `.` is resolved against the page's.
 */
export type Address = string | URL | readonly (string | URL)[];

/** Entry of the debug log; see {@link ConnectOptions.debug}. */
export interface DebugEntry {
  /** Time of the entry, milliseconds since 1970. */
  readonly time: number;
  /** Subject of the entry. */
  readonly kind:
    | "connect"
    | "open"
    | "fallback"
    | "subscribe"
    | "unsubscribe"
    | "resume"
    | "gap"
    | "redirect"
    | "drain"
    | "move"
    | "token"
    | "retry"
    | "closed"
    | "frame";
  /** Description without credentials and payloads. */
  readonly text: string;
}

/**
 * Debug log: true for decisions, `["frames"]` for frames as well, or a function that receives all
 * entries instead of the console.
 */
export type Debug = boolean | readonly "frames"[] | ((entry: DebugEntry) => void);

/** Options of compressed frames. */
export interface CompressionOptions {
  /**
   * Maximum size of a decompressed message in bytes, 1,024 to 2^30; default 2^26 (64 MiB). A larger
   * one ends the connection, and the client resumes.
   */
  readonly maxMessageBytes?: number;
}

/** Options of {@link connect}. All of them are optional. */
export interface ConnectOptions {
  /** Encoding of messages; default `binary`. */
  readonly encoding?: Encoding;
  /**
   * Credential of the client. With a string, the client closes when the credential expires; a
   * function provides fresh ones. It is sent to the node in the first frame, never in the URL.
   * Default: none.
   */
  readonly token?: Token;
  /** Upper bound of the delay after the first failure, in milliseconds; default 500. */
  readonly minBackoff?: number;
  /** Upper bound of any reconnect delay, in milliseconds; default 30,000. */
  readonly maxBackoff?: number;
  /** Timeout of an attempt until the node's hello, in milliseconds; default 10,000. */
  readonly connectTimeout?: number;
  /**
   * Time for which an attempt may be pending before the next of several addresses is tried in
   * parallel, in milliseconds; default 1,000. The delay is random between this value and twice this
   * value.
   */
  readonly attemptDelay?: number;
  /**
   * Time for which a node may have no broker connection before the client tries the other
   * addresses, in milliseconds; default 2,500. Randomized like `attemptDelay`.
   */
  readonly staleTimeout?: number;
  /** Timeout of a publish, including its time in the queue, in milliseconds; default 30,000. */
  readonly publishTimeout?: number;
  /**
   * Maximum number of publishes waiting for a connection or an answer; others fail. Default 1,000.
   */
  readonly maxPublishes?: number;
  /**
   * Name of a store in IndexedDB for unanswered publishes with an `id`; default none. They survive
   * a reload of the page, have no timeout, and are sent by the next client with this name and the
   * same subject. All users of the page's origin share its stores: the name should identify the
   * user.
   */
  readonly persistPublishes?: string;
  /** Store of received messages: `indexedDb` of `@sluice/client/store`; default none. */
  readonly store?: MessageStore;
  /** Permitted transports; default both. WebSocket is preferred, HTTP is the fallback. */
  readonly transports?: readonly Transport[];
  /**
   * Permits nodes to redirect the client to other addresses; default true. A redirect from `wss`
   * to `ws` is never followed.
   */
  readonly redirect?: boolean;
  /**
   * Accepts compressed frames, in which messages refer to the previous one of their topic or
   * pattern; default false. They need a few bytes for each message also with many topics, and over
   * HTTP. The code to decompress them is loaded before the first connection. If it cannot be loaded
   * within `connectTimeout`, the event `error` reports `not-loaded`, and the client connects as
   * usual.
   */
  readonly compression?: boolean | CompressionOptions;
  /** WebSocket class; default the global one. Node 20 has none: pass that of `ws`. */
  readonly WebSocket?: WebSocketConstructor;
  /** Fetch function for HTTP; default the global one if it supports streamed responses. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Mode of the browser's credentials in HTTP requests, as in `fetch`: cookies,
   * client certificates and Kerberos tickets. Default `omit`. With `include`, the node has to list
   * the page's origin by name. A WebSocket always carries cookies.
   */
  readonly credentials?: "omit" | "include";
  /**
   * Logs decisions of the client by `console.debug`: attempts, fallback, resume, gaps, redirects and
   * delays. `["frames"]` adds frames, shortened, without credentials and payloads. A function
   * receives the entries instead of the console. Default false.
   */
  readonly debug?: Debug;
  /**
   * Schemas by topic or pattern, such as `{ "stocks.>": schema }`. They validate the payloads of
   * subscriptions, loops, consumers, publishes and requests. The exact key takes precedence, then
   * the most specific pattern that covers the topic. Payloads are parsed as JSON before; `{ payload:
   * "text", schema }` selects another kind, and a kind alone converts without a schema. Default:
   * none.
   */
  readonly schemas?: SchemaMap;
  /** Source of time and timers; for tests. */
  readonly clock?: Clock;
  /** Source of random numbers from 0 up to, but not including, 1; for tests. */
  readonly random?: () => number;
}

/** Checked options with all defaults applied; a member for each option and no others. */
interface CheckedOptions extends Record<keyof ConnectOptions, unknown> {
  readonly redirect: boolean;
  readonly compression: boolean | CompressionOptions | undefined;
  readonly encoding: Encoding;
  readonly token: Token | undefined;
  readonly minBackoff: number;
  readonly maxBackoff: number;
  readonly connectTimeout: number;
  readonly attemptDelay: number;
  readonly staleTimeout: number;
  readonly publishTimeout: number;
  readonly maxPublishes: number;
  readonly persistPublishes: string | undefined;
  readonly store: MessageStore | undefined;
  /** Permitted and available transports; at least one. */
  readonly transports: readonly Transport[];
  readonly WebSocket: WebSocketConstructor | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly credentials: "omit" | "include";
  readonly debug: Debug;
  readonly schemas: SchemaMap | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Checked arguments of connect. */
export interface Settings extends CheckedOptions {
  /** Addresses in the order of the attempts; at least one. */
  readonly urls: readonly string[];
  /** Returns the delay after consecutive failures, by default within the bounds of the options. */
  readonly backoff: (failures: number, bounds?: BackoffBounds) => number;
  /** Creates the decoder of a connection; absent if it accepts no compressed frames. */
  readonly createInflater?: () => FrameInflater;
}

/**
 * Settings of one connection. They contain what the code for HTTP needs of the core, because a
 * common import would move that into a separate file.
 */
export interface ConnectionSettings extends Settings {
  /** Address of the connection. */
  readonly url: string;
  /** Name of the subprotocol. */
  readonly subprotocol: string;
  /** Close code of an HTTP stream that has reached its maximum duration. */
  readonly renew: number;
  /** Returns whether a fresh credential may help after this close code. */
  isTokenRejected(code: number): boolean;
}

const TRANSPORTS: readonly Transport[] = ["websocket", "http"];

// Timers are limited to 31 bits; a longer time would fire at once.
const MAX_MS = 2 ** 31 - 1;

/** Checks the arguments of connect; throws if one is invalid. */
export function toSettings(url: Address, options: ConnectOptions): Settings {
  checkObject("options", options);
  const { encoding = "binary", token, clock = systemClock, random = Math.random } = options;
  const { credentials = "omit", debug = false, schemas, persistPublishes, store } = options;
  checkOneOf("encoding", ["binary", "json"], encoding);
  checkOneOf("credentials", ["omit", "include"], credentials);
  const isToken = ["undefined", "string", "function"].includes(typeof token);
  check(isToken, "token", "a string or a function", token);
  const min = number(options, "minBackoff", 500, 0);
  const max = number(options, "maxBackoff", Math.max(min, 30_000), min);
  const checked: CheckedOptions = {
    redirect: options.redirect !== false,
    compression: options.compression,
    encoding,
    token,
    minBackoff: min,
    maxBackoff: max,
    connectTimeout: number(options, "connectTimeout", 10_000),
    attemptDelay: number(options, "attemptDelay", 1_000),
    staleTimeout: number(options, "staleTimeout", 2_500, 1, 2 ** 30),
    publishTimeout: number(options, "publishTimeout", 30_000),
    maxPublishes: number(options, "maxPublishes", 1_000, 1, 1_000_000),
    persistPublishes,
    store,
    ...transports(options),
    credentials,
    debug,
    schemas,
    clock,
    random,
  };
  checkOptions("connect", options, Object.keys(checked));
  return {
    ...checked,
    urls: webSocketUrls(url),
    backoff: (failures, bounds = { min, max }) => backoff(failures, bounds, random),
  };
}

function webSocketUrls(given: Address): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(given) && given[0] ? given : [given];
  return urls.map(webSocketUrl);
}

function webSocketUrl(url: unknown): string {
  const text = String(url);
  let href = "";
  try {
    // A host without a scheme must not become a path of the page.
    const { location } = globalThis as Partial<typeof globalThis>;
    const base = /^[./]/.test(text) ? location?.href : undefined;
    href = new URL(text, base).href.replace(/^http/, "ws");
  } catch {
    // Reported below.
  }
  const expected = 'a URL such as "wss://example.com/ws" ("/ws" requires a page)';
  check(isWebSocketUrl(href), "url", expected, href || url);
  return href;
}

/** Returns whether a WebSocket can connect to the URL, which must not have a fragment. */
export function isWebSocketUrl(url: string): boolean {
  return /^wss?:[^#]*$/.test(url);
}

function transports({
  transports: requested = TRANSPORTS,
  WebSocket = (globalThis as ConnectOptions).WebSocket,
  fetch: given,
}: ConnectOptions): Pick<Settings, "transports" | "WebSocket" | "fetch"> {
  const isList =
    Array.isArray(requested) && requested.every((one: Transport) => TRANSPORTS.includes(one));
  check(
    isList && !!requested[0],
    "transports",
    'a list of "websocket" and "http"',
    String(requested),
  );
  const fetch = streamingFetch(given);
  const transports = TRANSPORTS.filter(
    (one) => requested.includes(one) && (one === "http" ? fetch : WebSocket),
  );
  const isNeeded = !transports[0] && requested.includes("websocket");
  const isClass = typeof WebSocket === (isNeeded || WebSocket ? "function" : "undefined");
  check(isClass, "WebSocket", 'a WebSocket class such as that of "ws"', WebSocket);
  check(!!transports[0], "fetch", "a function that streams", given);
  return { transports, WebSocket, fetch };
}

function streamingFetch(given: Settings["fetch"]): Settings["fetch"] {
  check(!given || typeof given === "function", "fetch", "a function", given);
  const { fetch, Response } = globalThis as Partial<typeof globalThis>;
  // In React Native and old engines a response has no body that can be read as a stream.
  return given ?? (Response && "body" in Response.prototype ? fetch : undefined);
}

function number(
  options: ConnectOptions,
  name: (`${string}${"Backoff" | "Delay" | "Timeout"}` & keyof ConnectOptions) | "maxPublishes",
  byDefault: number,
  min = 1,
  max = MAX_MS,
): number {
  const { [name]: value = byDefault } = options;
  const isInRange = Number.isInteger(value) && value >= min && value <= max;
  check(isInRange, name, `a whole number from ${String(min)} to ${String(max)}`, value);
  return value;
}
