/**
 * Developer panel: `@sluice/client/devtools`.
 *
 * @module
 */

import { check } from "./engine/arguments.js";
import type { Client } from "./engine/client-type.js";
import { SocketObservation, type Observation } from "./devtools/observation.js";
import { SluiceDevtools } from "./devtools/panel.js";
import type { Undo } from "./engine/emitter.js";
import { invalidArgument } from "./engine/errors.js";
import type { ConnectOptions } from "./engine/options.js";
import type { WebSocketConstructor } from "./transport/socket.js";

export type { Observation } from "./devtools/observation.js";

const NAME = "sluice-devtools";

/**
 * Starts to observe the WebSockets of a client that is created with the returned class. Streams
 * over HTTP are not observed.
 *
 * @param WebSocket - Class to use; default the global one.
 * @throws SluiceError `invalid-argument`
 */
export function observe(WebSocket?: WebSocketConstructor): Observation {
  const Base = WebSocket ?? (globalThis as ConnectOptions).WebSocket;
  const expected = "a WebSocket class; this platform has no global one";
  if (typeof Base !== "function") throw invalidArgument("WebSocket", expected, Base);
  return new SocketObservation(Base);
}

/**
 * Adds the panel to a page. Without an observation it shows the state, the node and gaps; with one
 * also subscriptions, rates, latency and frames, and a button that cuts the connection.
 *
 * @param parent - Parent of the panel; default the page's body.
 * @returns a function that removes the panel
 * @throws SluiceError `invalid-argument`
 */
export function attachDevtools(
  client: Client,
  observation?: Observation,
  parent: ParentNode = document.body,
): Undo {
  const isValid = observation === undefined || observation instanceof SocketObservation;
  check(isValid, "observation", "the result of observe", observation);
  if (!customElements.get(NAME)) customElements.define(NAME, SluiceDevtools);
  const panel = new SluiceDevtools();
  panel.attach(client, observation);
  parent.append(panel);
  return () => {
    panel.detach();
    panel.remove();
  };
}
