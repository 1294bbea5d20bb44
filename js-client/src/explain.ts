import type { Client } from "./client-type.js";
import { diagnose, type Diagnosis } from "./diagnosis.js";
import { see } from "./documentation.js";
import type { Settings } from "./options.js";
import type { Closed, Connecting, ConnectionState } from "./state.js";

const DIAGNOSIS_TIMEOUT_MS = 5_000;

/** Cause of a failure; also the heading of its section in the page on connections. */
type Cause =
  | "wrong-path"
  | "unreachable-server"
  | "refused-origin"
  | "refused-request"
  | "unreadable-answer"
  | "blocked-websocket"
  | "mixed-content"
  | "http-fallback";

/**
 * Explains on the console why a client fails to connect, each cause once. Until the client's first
 * session it requests the address after 2, 4, 8 … consecutive failures, which browsers report
 * without a reason.
 *
 * @param onWrongPath - Emits the event `error`; an import of its class would split the core.
 */
export function explain(
  client: Client,
  settings: Settings,
  onWrongPath: (message: string) => void,
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
    if (hasSession() || !isDue(failures, settings)) return;
    const { urls } = settings;
    const url = urls[(failures - 1) % urls.length] ?? "";
    const signal = AbortSignal.timeout(DIAGNOSIS_TIMEOUT_MS);
    const diagnosis = await diagnose(settings, url, signal);
    if (hasSession() || client.state.status === "closed") return;
    const why = `${url}: ${diagnosis.reason}`;
    if (diagnosis.verdict === "wrong-path") onWrongPath(`no WebSocket endpoint at ${why}`);
    warn(...toWarning(diagnosis, why, lastEnd?.code));
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

function toWarning({ verdict }: Diagnosis, why: string, code: number | undefined): [Cause, string] {
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
      return ["refused-request", `The node refuses the WebSocket: ${why}.`];
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
