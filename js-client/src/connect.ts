import { SluiceClient } from "./client.js";
import { toSettings, type Address, type ConnectOptions } from "./options.js";

/**
 * Connects to a Sluice node and stays connected until `close` is called.
 *
 * @param url - The node's endpoint, such as `wss://example.com/ws`, or a list of them. They are tried
 *   in order, and the first that works is used; when its connection ends, or the node sends the
 *   client away, the first of the list is tried first again.
 * @returns the client, at once; its `state` says how far the connection is
 * @throws SluiceError `invalid-argument`
 */
export function connect(url: Address, options: ConnectOptions = {}): SluiceClient {
  return new SluiceClient(toSettings(url, options));
}
