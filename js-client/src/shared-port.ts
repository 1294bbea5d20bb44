import { toSettings, type Address, type ConnectOptions } from "./options.js";
import { SharedClient } from "./shared-client.js";
import { hold, type Locks } from "./shared-hub.js";

/** Options of a shared connection: those of a connection, and who shares it. */
export interface SharedOptions extends ConnectOptions {
  /**
   * Tabs share a connection only with the same text here. Name the user where tabs of one browser
   * may belong to different ones: whichever tab is asked gives the credential for all.
   */
  readonly share?: string;
}

/**
 * Connects through a port at whose other end is a `SharedHub`.
 *
 * @param openPort - Called once more for each hub that has ended.
 */
export function shareThrough(
  openPort: () => MessagePort,
  locks: Locks,
  url: Address,
  { share = "", token, ...options }: SharedOptions,
): SharedClient {
  const settings = toSettings(url, { ...options, WebSocket: NoWebSocket });
  const lock = `sluice-tab-${crypto.randomUUID()}`;
  // Held until the client is closed or the tab is gone, which is how the worker knows.
  const held = hold(locks, lock);
  const plain = typeof token === "string" ? { ...options, token } : options;
  const asksForToken = typeof token === "function";
  const message = { type: "open", lock, urls: settings.urls, options: plain, asksForToken, share };
  const open = held.then(() => message as typeof message & { readonly type: "open" });
  const closed = new AbortController();
  return new SharedClient(open, token, {
    openPort,
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
