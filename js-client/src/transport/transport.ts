import { isTokenRejected, RENEW } from "./close-codes.js";
import type { ConnectionSettings, Settings, Transport } from "../engine/options.js";
import type { Socket } from "./socket.js";
import type { SubscriptionPhase } from "../engine/topic-subscription.js";

/** Transport of the next attempt, and the results on which the choice depends. */
export interface Route {
  readonly transport: Transport;
  /** Consecutive WebSocket attempts without a hello. */
  readonly misses: number;
  /** True if a WebSocket has reached a node before, so that a miss rather means that it is down. */
  readonly isProven: boolean;
  /** Consecutive attempts with this transport without a hello. */
  readonly tries: number;
  /** True if the last HTTP stream had a hello; a WebSocket attempt is then only a probe. */
  readonly httpWorks: boolean;
}

/** End of an attempt or session, as far as the next attempt depends on it. */
export interface TryEnd {
  /** True if a hello had arrived. */
  readonly hello: boolean;
  /** Close code. */
  readonly code: number;
}

// Consecutive misses before HTTP is tried, if WebSockets have worked before.
const MISSES_BEFORE_HTTP = 3;
// Lowest close code that only a node sends; lower ones may come from an intermediary.
const MIN_NODE_CODE = 4000;
// Timeout of a WebSocket probe while HTTP works; messages wait during the probe.
const PROBE_TIMEOUT_MS = 3_000;

/** Returns the route of the first attempt. */
export function firstRoute(allowed: readonly Transport[]): Route {
  const transport = allowed.includes("websocket") ? "websocket" : "http";
  return { transport, misses: 0, tries: 0, isProven: false, httpWorks: false };
}

/**
 * Returns the route after an attempt. WebSocket is preferred. HTTP follows a WebSocket attempt
 * without a hello, or three consecutive ones if WebSockets have worked before. After HTTP,
 * WebSocket is tried again in any case. Each of several addresses is tried before the transport
 * changes.
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
  if (end.hello || end.code >= MIN_NODE_CODE) {
    return { ...firstRoute(["websocket"]), isProven: true };
  }
  const misses = route.misses + 1;
  const isBlocked =
    httpWorks || (tries >= addresses && misses >= (isProven ? MISSES_BEFORE_HTTP : 1));
  return isBlocked && allowed.includes("http")
    ? { ...route, transport: "http", misses, tries: 0 }
    : { ...route, misses, tries };
}

/** Returns the timeout of the next attempt until its hello, in milliseconds. */
export function helloTimeout(route: Route, connectTimeout: number): number {
  const isProbe = route.transport === "websocket" && route.httpWorks;
  return isProbe ? Math.min(connectTimeout, PROBE_TIMEOUT_MS) : connectTimeout;
}

/** Returns the settings of a connection to this address. */
export function toConnection(settings: Settings, url: string): ConnectionSettings {
  return { ...settings, url, subprotocol: subprotocol(settings), renew: RENEW, isTokenRejected };
}

/** Starts an attempt. The code for HTTP is loaded on demand. */
export function openSocket(
  route: Route,
  settings: Settings,
  url: string,
  phase: () => SubscriptionPhase,
): Socket | Promise<Socket> {
  const { WebSocket, random } = settings;
  if (route.transport === "websocket" && WebSocket) {
    return new WebSocket(url, [subprotocol(settings)]);
  }
  return import("./http-socket.js").then(
    ({ HttpSocket, trialTime }) =>
      new HttpSocket(
        toConnection(settings, url),
        phase,
        trialTime(route, random),
        !route.isProven && !route.httpWorks,
      ),
  );
}

/** Returns the subprotocol name for the encoding, as both transports send it. */
export function subprotocol({ encoding }: Pick<Settings, "encoding">): string {
  return encoding === "json" ? "sluice.v1.json" : "sluice.v1.bin";
}
