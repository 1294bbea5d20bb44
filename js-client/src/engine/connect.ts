import { SluiceClient } from "./client.js";
import type { Client } from "./client-type.js";
import { toSettings, type Address, type ConnectOptions } from "./options.js";
import type { ConvertedTopics, SchemaMap, SchemasFor, TopicsOf } from "./topic-map.js";
import type { TypedClient } from "./typed-client.js";

/**
 * Connects to a Sluice node and stays connected until `close` is called. The types of payloads are
 * those of `schemas`.
 *
 * @param url - The node's endpoint, such as `wss://example.com/ws`, or a list of endpoints. They
 *   are tried in order, and the first one that works is used. When that connection ends, or the
 *   node redirects the client, the list is tried from its start.
 * @returns the client, at once; its `state` reports the progress of the connection
 * @throws SluiceError `invalid-argument`
 */
export function connect<const Schemas extends SchemaMap>(
  url: Address,
  options: ConnectOptions & { readonly schemas: Schemas },
): TypedClient<TopicsOf<Schemas>>;
/** Connects with a topic map; `schemas` has a schema or a kind for each of its topics. */
export function connect<Topics extends object>(
  url: Address,
  options: ConnectOptions & { readonly schemas: SchemasFor<Topics> },
): TypedClient<ConvertedTopics<Topics>>;
/** Connects without a topic map. */
export function connect(url: Address, options?: ConnectOptions): Client;
/** Connects with a topic map: an interface with the payload type of each topic or pattern. */
export function connect<Topics extends object>(
  url: Address,
  options?: ConnectOptions,
): TypedClient<Topics>;
export function connect(url: Address, options: ConnectOptions = {}): never {
  return new SluiceClient(toSettings(url, options)) as never;
}
