import { connect } from "@sluice/client";
import { connectShared } from "@sluice/client/shared";
import { ConnectionSwitch } from "./connection-switch.js";

const OPTIONS = { minBackoff: 500, maxBackoff: 2_000, transports: ["websocket"] };

/**
 * Connects to the nodes of the demo, this page's own first.
 *
 * @param origins - Origins of the nodes.
 * @param shared - Whether all tabs of this kind share one connection.
 * @returns the client, and the switch of its connections unless they are shared.
 */
export function connectToDemo(origins, shared) {
  const urls = origins.map((origin) => `${origin.replace("http", "ws")}/ws`);
  if (shared) return { client: connectShared("/shared-worker.js", urls, OPTIONS) };
  const connections = new ConnectionSwitch();
  const { WebSocket } = connections;
  return { client: connect(urls, { ...OPTIONS, WebSocket }), connections };
}
