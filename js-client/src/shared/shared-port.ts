import { toSettings, type Address } from "../engine/options.js";
import type { WithIdentity } from "../bindings/provider-options.js";
import { SharedClient, type WorkerLifecycle } from "./shared-client.js";
import { acquireLock, type Locks } from "./shared-hub.js";

/**
 * Options of a shared connection: those of a connection, its sharing scope, and the user. One tab
 * provides the credential for all that share the connection.
 */
export type SharedOptions = WithIdentity & {
  /** Sharing scope: tabs share a connection only if this text is equal. */
  readonly share?: string;
};

/**
 * Connects through a port to a `SharedHub`.
 *
 * @param openPort - Called again for each hub that has ended.
 */
export function connectThroughPort(
  openPort: () => MessagePort,
  locks: Locks,
  url: Address,
  { share = "", identity, token, schemas, ...options }: SharedOptions,
): SharedClient {
  const settings = toSettings(url, { ...options, WebSocket: UnusedWebSocket });
  const lock = `sluice-tab-${crypto.randomUUID()}`;
  // Held until the client is closed or the tab has ended, which notifies the worker.
  const acquired = acquireLock(locks, lock);
  const plain = typeof token === "string" ? { ...options, token } : options;
  const asksForToken = typeof token === "function";
  const message = {
    type: "open" as const,
    lock,
    urls: settings.urls,
    options: plain,
    asksForToken,
    share,
    identity,
  };
  const open = acquired.then(() => message);
  const closed = new AbortController();
  const lifecycle: WorkerLifecycle = {
    openPort,
    onWorker(worker, onGone) {
      // Rejected if the client is closed before the worker ends.
      locks.request(worker, { signal: closed.signal }, onGone).catch(() => undefined);
    },
    release() {
      closed.abort();
      void acquired.then((release) => {
        release();
      });
    },
  };
  return new SharedClient(open, token, lifecycle, schemas);
}

/** Placeholder for checking the options; the worker uses its own class. */
class UnusedWebSocket {
  binaryType = "";

  send(): void {
    throw new Error("a tab has no own connection");
  }

  close(): void {
    throw new Error("a tab has no own connection");
  }

  addEventListener(): void {
    throw new Error("a tab has no own connection");
  }
}
