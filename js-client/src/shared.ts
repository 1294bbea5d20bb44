/**
 * Connection shared by all tabs of an origin: `@sluice/client/shared`.
 *
 * @module
 */
import type { Client } from "./engine/client-type.js";
import { connect } from "./engine/connect.js";
import type { Address } from "./engine/options.js";
import type { WithIdentity } from "./bindings/provider-options.js";
import type { Locks } from "./shared/shared-hub.js";
import { connectThroughPort, type SharedOptions } from "./shared/shared-port.js";

export type { Client } from "./engine/client-type.js";
export type { SharedOptions } from "./shared/shared-port.js";

/** Script of the worker, or a function that creates the worker. */
export type SharedWorkerSource = string | URL | (() => SharedWorker);

/**
 * Connects like `connect`, through a worker that all tabs of this origin share. Tabs with the same
 * URL and options share one connection. Without SharedWorker or Web Locks the tab has its own
 * connection.
 *
 * @param worker - URL at which `@sluice/client/shared-worker` is served, on this origin.
 * @throws SluiceError `invalid-argument`
 */
export function connectShared(
  worker: SharedWorkerSource,
  url: Address,
  options: SharedOptions = {},
): Client {
  const { share = "", identity, ...connectOptions } = options;
  // The worker requests the credential over the port; the tab validates payloads.
  const { token, schemas, ...values } = connectOptions;
  const locks = (globalThis.navigator as { locks?: Locks } | undefined)?.locks;
  const canShare = typeof SharedWorker !== "undefined" && Object.values(values).every(isPlain);
  if (!canShare || !locks) return connect(url, connectOptions);
  const credentials = { ...(token && { token }), identity } as WithIdentity;
  const shared = { ...values, ...credentials, ...(schemas && { schemas }), share };
  const fail = (event: Event): void => {
    client.fail(event);
  };
  const client = connectThroughPort(
    () => {
      const made =
        typeof worker === "function" ? worker() : new SharedWorker(worker, { type: "module" });
      made.addEventListener("error", fail);
      return made.port;
    },
    locks,
    url,
    shared,
  );
  return client;
}

/** Returns whether a value can be sent to a worker: no function, class or object. */
function isPlain(value: unknown): boolean {
  return Array.isArray(value) || (typeof value !== "function" && typeof value !== "object");
}
