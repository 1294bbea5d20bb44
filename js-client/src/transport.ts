import { afterClose } from "./close-codes.js";
import type { Settings } from "./options.js";
import type { Socket } from "./socket.js";
import type { Standing } from "./topic-subscription.js";

/** How frames travel: by WebSocket, or where that is blocked by streamed answers of plain HTTP. */
export type Transport = "websocket" | "http";

/** What the next try uses, and what is known for choosing it. */
export interface Route {
  readonly transport: Transport;
  /** WebSocket tries in a row without a hello. */
  readonly misses: number;
  /** A node has been heard by WebSocket, so a miss rather means that it is away. */
  readonly isProven: boolean;
  /** The last HTTP stream brought a hello: a WebSocket is only looked for. */
  readonly httpWorks: boolean;
}

/** How a try or a session ended, as far as it matters for the next try. */
export interface TryEnd {
  /** It had brought a hello. */
  readonly hello: boolean;
  /** The close code. */
  readonly code: number;
}

// Misses in a row before HTTP is tried, where WebSockets have worked before.
const PATIENCE = 3;
// What only a node says; below it a code may come from anything on the way.
const FIRST_CODE_OF_NODES = 4000;
// How long a client for which WebSockets have worked stays with HTTP before it looks for one again.
// When a node comes back, many of its clients may come by HTTP.
const MIN_TRIAL_MS = 10_000;
const MAX_TRIAL_MS = 30_000;
// How long a WebSocket is looked for while HTTP works; messages wait meanwhile.
const PROBE_MS = 3_000;

/** The route of a client that has tried nothing yet. */
export function firstRoute(allowed: readonly Transport[]): Route {
  const transport = allowed.includes("websocket") ? "websocket" : "http";
  return { transport, misses: 0, isProven: false, httpWorks: false };
}

/**
 * The route after a try. WebSocket comes first; HTTP after a WebSocket that brought no hello, or
 * after three in a row where one has brought it before; and after HTTP, however it ended, WebSocket
 * again.
 */
export function routeAfter(route: Route, end: TryEnd, allowed: readonly Transport[]): Route {
  if (route.transport === "http") {
    return { ...route, transport: firstRoute(allowed).transport, httpWorks: end.hello };
  }
  if (end.hello || end.code >= FIRST_CODE_OF_NODES) {
    return { transport: "websocket", misses: 0, isProven: true, httpWorks: false };
  }
  const misses = route.misses + 1;
  const isBlocked = misses >= (route.isProven ? PATIENCE : 1);
  const transport = isBlocked && allowed.includes("http") ? "http" : "websocket";
  return { ...route, transport, misses };
}

/** Whether no other try may follow. */
export function isFinal({ hello, code }: TryEnd, allowed: readonly Transport[]): boolean {
  // What stands in the way of WebSockets may say anything, and need not stand in the way of HTTP.
  const mayBeForeign = !hello && code < FIRST_CODE_OF_NODES && allowed.length > 1;
  return afterClose(code) === "fatal" && !mayBeForeign;
}

/** How long the next try may take until the hello, in milliseconds. */
export function helloTimeout(route: Route, connectTimeout: number): number {
  const isProbe = route.transport === "websocket" && route.httpWorks;
  return isProbe ? Math.min(connectTimeout, PROBE_MS) : connectTimeout;
}

/** How long HTTP may be kept to at most, in milliseconds; undefined is as long as a stream lives. */
export function trialTime(route: Route, random: () => number): number | undefined {
  if (!route.isProven || route.httpWorks) return undefined;
  return MIN_TRIAL_MS + random() * (MAX_TRIAL_MS - MIN_TRIAL_MS);
}

/** Begins a try. The code for HTTP is loaded only where it is needed. */
export function openSocket(
  route: Route,
  settings: Settings,
  standing: () => Standing,
): Socket | Promise<Socket> {
  const { WebSocket, url, random } = settings;
  if (route.transport === "websocket" && WebSocket) {
    return new WebSocket(url, [subprotocol(settings)]);
  }
  return import("./http-socket.js").then(
    ({ HttpSocket }) => new HttpSocket(settings, standing, trialTime(route, random)),
  );
}

/** The name of the frames' encoding, as both transports ask for it. */
export function subprotocol({ encoding }: Pick<Settings, "encoding">): string {
  return encoding === "json" ? "sluice.v1.json" : "sluice.v1.bin";
}
