import { WebSocket } from "ws";
import { connect, type SluiceClient, type SluiceError } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** A client whose connection is open, and the other end of it. */
export interface OpenClient {
  readonly node: ScriptedNode;
  readonly client: SluiceClient;
  readonly session: ScriptedSession;
  /** What the client has reported; grows. */
  readonly errors: SluiceError[];
  readonly stop: () => Promise<void>;
}

/** Opens one to a node of its own. */
export async function openClient(): Promise<OpenClient> {
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
  session.hello();
  await until("open", () => client.state.status === "open");
  const stop = (): Promise<void> => {
    client.close();
    return node.stop();
  };
  return { node, client, session, errors, stop };
}
