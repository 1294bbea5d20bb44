import type { Settings } from "./options.js";

/** Result of a request to the WebSocket's address. */
export type Verdict =
  | "endpoint"
  | "wrong-path"
  | "refused-origin"
  /** The node refuses this request for another reason. */
  | "refused-request"
  /** The page may not read the answer. */
  | "unreadable"
  | "unreachable";

/** Verdict with its reason, such as the status line. */
export interface Diagnosis {
  readonly verdict: Verdict;
  readonly reason: string;
  /** Code of the node's refusal: PROTOCOL.md, section 1. */
  readonly code?: string;
}

type Fetching = Pick<Settings, "fetch">;

// Statuses of a server that has no WebSocket endpoint at the path; so has any success. A WebSocket
// endpoint refuses a plain request with another status.
const NO_ENDPOINT = [404, 405, 410];
// Code with which a WebSocket endpoint answers a plain request.
const NO_HANDSHAKE = "bad-request";

/**
 * Returns why the address is not that of a WebSocket endpoint; undefined if it may be one. The check
 * is a plain request. It ignores statuses of proxies, such as a redirect to a login.
 */
export async function checkPath(
  settings: Fetching,
  url: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { verdict, reason } = await request(settings, url, { signal });
  return verdict === "wrong-path" || verdict === "unreachable" ? reason : undefined;
}

/** Returns why a WebSocket cannot be opened at this address. */
export async function diagnose(
  settings: Fetching,
  url: string,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const diagnosis = await request(settings, url, { signal });
  if (diagnosis.verdict === "endpoint") {
    // A WebSocket also carries the host's cookies, which may be the cause.
    const complete = await request(settings, url, { signal, credentials: "include" });
    return complete.verdict === "refused-request" ? complete : diagnosis;
  }
  if (diagnosis.verdict !== "unreachable") return diagnosis;
  try {
    // This mode excludes `redirect: "manual"`.
    await send(settings, url, { signal, mode: "no-cors", redirect: "follow" });
    return { verdict: "unreadable", reason: "the page may not read the answer" };
  } catch {
    return diagnosis;
  }
}

async function request(settings: Fetching, url: string, init: RequestInit): Promise<Diagnosis> {
  try {
    const response = await send(settings, url, init);
    const { status, ok } = response;
    const line = `HTTP ${String(status)}`;
    if (status >= 400 && !NO_ENDPOINT.includes(status)) {
      const text = await response.text();
      if (status === 403 && text.includes("origin")) {
        return { verdict: "refused-origin", reason: line };
      }
      const refusal = toRefusal(text);
      if (refusal && refusal.code !== NO_HANDSHAKE) {
        const { code, message } = refusal;
        return { verdict: "refused-request", reason: `${line}: ${code}: ${message}`, code };
      }
    }
    // An answer may be endless.
    if (!response.bodyUsed) void response.body?.cancel();
    return ok || NO_ENDPOINT.includes(status)
      ? { verdict: "wrong-path", reason: `wrong path: ${line}` }
      : { verdict: "endpoint", reason: line };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { verdict: "unreachable", reason: `HTTP failed: ${why}` };
  }
}

/** Returns the node's refusal; undefined if a proxy has answered. */
function toRefusal(body: string): { code: string; message: string } | undefined {
  try {
    const { type, code, message } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return type === "error" ? { code: String(code), message: String(message) } : undefined;
  } catch {
    return undefined;
  }
}

function send(settings: Fetching, url: string, init: RequestInit): Promise<Response> {
  const { fetch = globalThis.fetch } = settings;
  return fetch(url.replace(/^ws/, "http"), { cache: "no-store", redirect: "manual", ...init });
}
