import type { Client } from "./client-type.js";
import { diagnose, type Diagnosis } from "./diagnosis.js";
import { see } from "./documentation.js";
import type { Settings } from "./options.js";
import type { Closed, Connecting, ConnectionState } from "./state.js";

const DIAGNOSIS_TIMEOUT_MS = 5_000;

// Reasons with which the client itself ends a connection; the network is not their cause.
const OWN_REASONS = ["no token", "identity-changed"];

// Reasons of an HTTP socket that has diagnosed its own end.
const SILENCE = /^(buffered-stream|connection-limit): (.*)$/;

/** Remedies for a node's refusals, by the codes of PROTOCOL.md, section 1. */
export const REMEDIES: Readonly<Record<string, string>> = {
  "bad-request": "A proxy must forward the headers Upgrade and Connection.",
  "tls-required": "Use wss:.",
  "proxy-protocol": "The proxy must send the PROXY protocol, or disable it at the node.",
  "ticket-required": "Log in to the domain, and let the browser send tickets to this host.",
  origin: "Add the page's origin to server.allowed-origins.",
  forbidden: "Use the page of the node itself.",
  "not-found": "The usual path is /ws.",
  "bad-method": "A proxy must not change the method.",
  timeout: "The client tries again; check the network.",
  "body-too-large": "Use fewer subscriptions in a client.",
  "uri-too-long": "Shorten the address, or raise limits.handshake-bytes.",
  "bad-version": "Use a browser with version 13 of the WebSocket protocol.",
  "too-many":
    "The client tries again. Raise limits.per-address for an office with one address, or let the proxy forward client addresses.",
  "headers-too-large": "Delete cookies of this host, or raise limits.handshake-bytes.",
  internal: "Read the node's log.",
  full: "The client tries again; add a node.",
  busy: "The client tries again.",
  overloaded: "The client tries again; add a node.",
  draining: "The client tries again.",
  stopping: "The client tries again.",
};

/** Cause of a failure; also the heading of its section in the page on connections. */
type Cause =
  | "wrong-path"
  | "unreachable-server"
  | "refused-origin"
  | "refused-request"
  | "unreadable-answer"
  | "blocked-websocket"
  | "buffered-stream"
  | "connection-limit"
  | "mixed-content"
  | "http-fallback";

/**
 * Explains on the console why a client fails to connect, each cause once. Until the client's first
 * session it requests the address after 2, 4, 8 … consecutive failures, which browsers report
 * without a reason.
 *
 * @param onCause - Emits the event `error`; an import of its class would split the core.
 */
export function explain(
  client: Client,
  settings: Settings,
  onCause: (code: string, message: string) => void,
): void {
  const explained = new Set<Cause>();
  const warn = (cause: Cause, text: string): void => {
    if (explained.has(cause)) return;
    explained.add(cause);
    console.warn(`[sluice] ${text} ${see("Troubleshoot a connection", cause)}`);
  };

  // The offset is known from the first session on.
  const hasSession = (): boolean => client.clockOffset !== undefined;
  const onFailure = async ({ failures, lastEnd }: Connecting): Promise<void> => {
    const [, cause, text] = SILENCE.exec(lastEnd?.reason ?? "") ?? [];
    if (cause && text) {
      onCause(cause, text);
      warn(cause as Cause, text);
      return;
    }
    if (OWN_REASONS.includes(lastEnd?.reason ?? "")) return;
    if (hasSession() || !isDue(failures, settings)) return;
    const { urls } = settings;
    const url = urls[(failures - 1) % urls.length] ?? "";
    const signal = AbortSignal.timeout(DIAGNOSIS_TIMEOUT_MS);
    const diagnosis = await diagnose(settings, url, signal);
    if (hasSession() || client.state.status === "closed") return;
    const why = `${url}: ${diagnosis.reason}`;
    if (diagnosis.verdict === "wrong-path")
      onCause("wrong-path", `no WebSocket endpoint at ${why}`);
    const [verdict, found] = toWarning(diagnosis, why, lastEnd?.code);
    const mayLackToken =
      lastEnd?.reason === "hello timeout" && typeof settings.token === "function";
    warn(verdict, mayLackToken ? `${found} Check that the token function returns in time.` : found);
  };

  let hasFallenBack = false;
  const onFallback = async (): Promise<void> => {
    if (hasFallenBack) return;
    hasFallenBack = true;
    const [url = ""] = settings.urls;
    const diagnosis = await diagnose(settings, url, AbortSignal.timeout(DIAGNOSIS_TIMEOUT_MS));
    // Without the cookies of the page, HTTP may succeed where the WebSocket is refused.
    if (diagnosis.verdict === "refused-request") {
      warn(...toWarning(diagnosis, `${url}: ${diagnosis.reason}`, undefined));
    } else {
      const text = "A proxy or firewall blocks WebSockets; the client uses HTTP.";
      warn("http-fallback", `${text} Permit WebSockets, or accept the costs of HTTP.`);
    }
  };

  const onState = (state: ConnectionState): void => {
    if (state.status === "connecting") {
      if (state.lastEnd && state.retryAt !== undefined) void onFailure(state);
    } else if (state.status === "closed") {
      explainClose(state, settings, warn);
    } else if (client.transport === "http" && settings.transports.includes("websocket")) {
      void onFallback();
    }
  };
  onState(client.state);
  client.on("state", onState);
}

/** Returns whether to diagnose; the first failure may only lead to the other transport. */
function isDue(failures: number, { transports }: Settings): boolean {
  const isPowerOfTwo = (failures & (failures - 1)) === 0;
  return isPowerOfTwo && (failures > 1 || transports.length === 1);
}

function toWarning(
  { verdict, code: refusal = "" }: Diagnosis,
  why: string,
  code: number | undefined,
): [Cause, string] {
  switch (verdict) {
    case "wrong-path":
      return [
        "wrong-path",
        `Not the address of a Sluice node: ${why}. The usual path is /ws; a proxy must forward it.`,
      ];
    case "refused-origin":
      return [
        "refused-origin",
        `The node refuses pages of ${origin()}: ${why}. Add it to server.allowed-origins (--allow-origin).`,
      ];
    case "refused-request":
      return [
        "refused-request",
        `The node refuses the WebSocket: ${why}. ${REMEDIES[refusal] ?? ""}`.trim(),
      ];
    case "unreadable":
      return [
        "unreadable-answer",
        `A server answers, but not as a Sluice node does: ${why}. Check host, port and path.`,
      ];
    case "unreachable":
      return [
        "unreachable-server",
        `Cannot reach ${why}. Check host, port, ws: or wss:, TLS certificate and Content-Security-Policy.`,
      ];
    case "endpoint":
      return [
        "blocked-websocket",
        `The server answers over HTTP (${why}), but the connection failed with ${String(code)}.`,
      ];
  }
}

function explainClose(
  { error }: Closed,
  { urls }: Settings,
  warn: (cause: Cause, text: string) => void,
): void {
  const plain = urls.find((url) => url.startsWith("ws:"));
  if (error?.code === "refused" && plain !== undefined && origin().startsWith("https:")) {
    const text = `The browser blocks ${plain}, because this page was loaded by https.`;
    warn("mixed-content", `${text} Use wss: or a relative address.`);
  }
}

function origin(): string {
  const { location } = globalThis as Partial<typeof globalThis>;
  return location?.origin ?? "another origin";
}
