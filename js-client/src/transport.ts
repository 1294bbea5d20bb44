import { afterClose } from "./close-codes.js";
import type { Settings, Transport } from "./options.js";
import type { Socket } from "./socket.js";
import type { Standing } from "./topic-subscription.js";

/** What the next try uses, and what is known for choosing it. */
export interface Route {
  readonly transport: Transport;
  /** WebSocket tries in a row without a hello. */
  readonly misses: number;
  /** A node has been heard by WebSocket, so a miss rather means that it is away. */
  readonly isProven: boolean;
  /** Tries in a row by this transport without a hello. */
  readonly tries: number;
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
// How long a WebSocket is looked for while HTTP works; messages wait meanwhile.
const PROBE_MS = 3_000;

/** The route of a client that has tried nothing yet. */
export function firstRoute(allowed: readonly Transport[]): Route {
  const transport = allowed.includes("websocket") ? "websocket" : "http";
  return { transport, misses: 0, tries: 0, isProven: false, httpWorks: false };
}

/**
 * The route after a try. WebSocket comes first; HTTP after a WebSocket that brought no hello, or
 * after three in a row where one has brought it before; and after HTTP, however it ended, WebSocket
 * again. Of several addresses each is tried before the transport changes.
 */
export function routeAfter(
  route: Route,
  end: TryEnd,
  allowed: readonly Transport[],
  addresses = 1,
): Route {
  const { isProven, httpWorks } = route;
  const tries = route.tries + 1;
  if (route.transport === "http") {
    const isOver = end.hello || tries >= addresses;
    const transport = isOver ? firstRoute(allowed).transport : "http";
    return { ...route, transport, tries: isOver ? 0 : tries, httpWorks: end.hello };
  }
  if (end.hello || end.code >= FIRST_CODE_OF_NODES) {
    return { ...firstRoute(["websocket"]), isProven: true };
  }
  const misses = route.misses + 1;
  const isBlocked = httpWorks || (tries >= addresses && misses >= (isProven ? PATIENCE : 1));
  return isBlocked && allowed.includes("http")
    ? { ...route, transport: "http", misses, tries: 0 }
    : { ...route, misses, tries };
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

/** Begins a try. The code for HTTP is loaded only where it is needed. */
export function openSocket(
  route: Route,
  settings: Settings,
  url: string,
  standing: () => Standing,
): Socket | Promise<Socket> {
  const { WebSocket, random } = settings;
  if (route.transport === "websocket" && WebSocket) {
    return new WebSocket(url, [subprotocol(settings)]);
  }
  return import("./http-socket.js").then(
    ({ HttpSocket, trialTime }) =>
      new HttpSocket({ ...settings, url }, standing, trialTime(route, random)),
  );
}

/** The name of the frames' encoding, as both transports ask for it. */
export function subprotocol({ encoding }: Pick<Settings, "encoding">): string {
  return encoding === "json" ? "sluice.v1.json" : "sluice.v1.bin";
}
