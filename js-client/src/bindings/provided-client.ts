import type { Client } from "../engine/client-type.js";
import type { Undo } from "../engine/emitter.js";
import type { Address, ConnectOptions } from "../engine/options.js";
import { OwnedClient } from "./owned-client.js";

/** Returns a given client, or creates one for an address; that one connects when it is retained. */
export function toClient(
  target: Client | Address,
  options: ConnectOptions,
  identity: string | undefined,
): Client {
  return isClient(target) ? target : new OwnedClient(target, options, identity);
}

/**
 * Keeps the connection of a created client open until the returned function is called. The
 * application closes a client that it has given.
 */
export function retain(client: Client): Undo {
  return client instanceof OwnedClient ? client.retain() : () => undefined;
}

/** Ends the session of a created client if this is another user. */
export function updateIdentity(client: Client, identity: string | undefined): void {
  if (client instanceof OwnedClient) client.updateIdentity(identity);
}

function isClient(target: Client | Address): target is Client {
  return typeof target === "object" && "subscribe" in target;
}
