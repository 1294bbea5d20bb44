import { SluiceClient } from "./client.js";
import { toSettings, type Address, type ConnectOptions } from "./options.js";

/**
 * Connects to a Sluice node and stays connected until `close` is called.
 *
 * @param url - The node's endpoint, such as `wss://example.com/ws`, or a list of endpoints. They
 *   are tried in order, and the first one that works is used. When that connection ends, or the
 *   node redirects the client, the list is tried from its start.
 * @returns the client, at once; its `state` reports the progress of the connection
 * @throws SluiceError `invalid-argument`
 */
export function connect(url: Address, options: ConnectOptions = {}): SluiceClient {
  return new SluiceClient(toSettings(url, options));
}
