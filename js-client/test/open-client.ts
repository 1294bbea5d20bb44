import { WebSocket } from "ws";
import { connect, type Client, type SluiceError } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** Open client and its session at the node. */
export interface OpenClient {
  readonly node: ScriptedNode;
  readonly client: Client;
  readonly session: ScriptedSession;
  /** Errors that the client has reported so far. */
  readonly errors: SluiceError[];
  readonly stop: () => Promise<void>;
}

/** Opens a client at a separate node with these features. */
export async function openClient(features: readonly string[] = []): Promise<OpenClient> {
  const errors: SluiceError[] = [];
  const node = await ScriptedNode.start();
  const client = connect(node.url, {
    WebSocket,
    encoding: "json",
    minBackoff: 5,
    maxBackoff: 20,
  });
  client.on("error", (error) => errors.push(error));
  const session = await node.session();
  session.hello({ features });
  await until("open", () => client.state.status === "open");
  const stop = (): Promise<void> => {
    client.close();
    return node.stop();
  };
  return { node, client, session, errors, stop };
}
