import type { Client } from "./client-type.js";
import { connect } from "./connect.js";
import { toSettings, type ConnectOptions } from "./options.js";
import { SharedClient } from "./shared-client.js";
import { hold, type Locks } from "./shared-hub.js";

export type { Client } from "./client-type.js";

/** Options of {@link connectShared}: those of a connection, and who shares it. */
export interface SharedOptions extends ConnectOptions {
  /**
   * Tabs share a connection only with the same text here. Name the user where tabs of one browser
   * may belong to different ones: whichever tab is asked gives the credential for all.
   */
  readonly share?: string;
}

/** The worker's script, or what makes the worker. */
export type SharedWorkerSource = string | URL | (() => SharedWorker);

/**
 * Connects like `connect`, through a worker that all tabs of this origin share: those that connect
 * to the same URL with the same options have one connection together. Where a browser has no
 * SharedWorker or no Web Locks, the tab has a connection of its own.
 *
 * @param worker - Where `@sluice/client/shared-worker` is served, on this origin.
 * @throws SluiceError `invalid-argument`
 */
export function connectShared(
  worker: SharedWorkerSource,
  url: string | URL,
  options: SharedOptions = {},
): Client {
  const { share = "", ...connectOptions } = options;
  // The credential is asked for across the port.
  const { token, ...values } = connectOptions;
  const locks = (globalThis.navigator as { locks?: Locks } | undefined)?.locks;
  const canShare = typeof SharedWorker !== "undefined" && Object.values(values).every(isPlain);
  if (!canShare || !locks) return connect(url, connectOptions);
  const made =
    typeof worker === "function" ? worker() : new SharedWorker(worker, { type: "module" });
  const client = shareThrough(made.port, locks, url, { ...values, ...(token && { token }), share });
  made.addEventListener("error", (event) => {
    client.fail(event);
  });
  return client;
}

/** Connects through a port at whose other end is a `SharedHub`. */
export function shareThrough(
  port: MessagePort,
  locks: Locks,
  url: string | URL,
  { share = "", token, ...options }: SharedOptions,
): SharedClient {
  const settings = toSettings(url, { ...options, WebSocket: NoWebSocket });
  const lock = `sluice-tab-${crypto.randomUUID()}`;
  // Held until the client is closed or the tab is gone, which is how the worker knows.
  const held = hold(locks, lock);
  const plain = typeof token === "string" ? { ...options, token } : options;
  const asksForToken = typeof token === "function";
  const message = { type: "open", lock, url: settings.url, options: plain, asksForToken, share };
  const open = held.then(() => message as typeof message & { readonly type: "open" });
  const closed = new AbortController();
  return new SharedClient(port, open, token, {
    onWorker(worker, onGone) {
      // Refused when the client is closed before the worker ends.
      locks.request(worker, { signal: closed.signal }, onGone).catch(() => undefined);
    },
    letGo() {
      closed.abort();
      void held.then((release) => {
        release();
      });
    },
  });
}

/** Whether it can go to a worker, which functions and classes cannot. */
function isPlain(value: unknown): boolean {
  return typeof value !== "function" && typeof value !== "object";
}

/** Stands where the options are only checked; the worker has its own. */
class NoWebSocket {
  binaryType = "";

  send(): void {
    throw new Error("a tab has no connection of its own");
  }

  close(): void {
    throw new Error("a tab has no connection of its own");
  }

  addEventListener(): void {
    throw new Error("a tab has no connection of its own");
  }
}
