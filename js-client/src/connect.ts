import { SluiceClient } from "./client.js";
import { toSettings, type ConnectOptions } from "./options.js";

/**
 * Connects to a Sluice node and stays connected until `close` is called.
 *
 * @param url - The node's endpoint, such as `wss://example.com/ws`.
 * @returns the client, at once; its `state` says how far the connection is
 * @throws SluiceError `invalid-argument`
 */
export function connect(url: string | URL, options: ConnectOptions = {}): SluiceClient {
  return new SluiceClient(toSettings(url, options));
}
