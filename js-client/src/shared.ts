import type { Client } from "./client-type.js";
import { connect } from "./connect.js";
import type { Address } from "./options.js";
import type { Locks } from "./shared-hub.js";
import { shareThrough, type SharedOptions } from "./shared-port.js";

export type { Client } from "./client-type.js";
export type { SharedOptions } from "./shared-port.js";

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
  url: Address,
  options: SharedOptions = {},
): Client {
  const { share = "", ...connectOptions } = options;
  // The credential is asked for across the port.
  const { token, ...values } = connectOptions;
  const locks = (globalThis.navigator as { locks?: Locks } | undefined)?.locks;
  const canShare = typeof SharedWorker !== "undefined" && Object.values(values).every(isPlain);
  if (!canShare || !locks) return connect(url, connectOptions);
  const shared = { ...values, ...(token && { token }), share };
  const fail = (event: Event): void => {
    client.fail(event);
  };
  const client = shareThrough(
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

/** Whether it can go to a worker, which functions, classes and what holds them cannot. */
function isPlain(value: unknown): boolean {
  return Array.isArray(value) || (typeof value !== "function" && typeof value !== "object");
}
