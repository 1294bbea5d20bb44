import type { ConnectOptions, Client } from "../src/index.js";
import type { ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";
import type { TwoNodes } from "./two-nodes.js";

/** All features of a node. */
export const FEATURES = [
  "durable",
  "presence",
  "publish-id",
  "queues",
  "selectors",
  "shared",
  "transacted-acks",
  "transactions",
];

/** Message as a node sends it, without `type`, `ref` and `tag`. */
export const CONTENT = { id: "9e3779b97f4a7c15", time: 1_763_700_000_000, payload: "x" };

/** Client and its session at the old node. */
export interface Scene {
  readonly client: Client;
  readonly session: ScriptedSession;
}

/** Opens a client at a node with these features. */
export async function openAt(
  nodes: TwoNodes,
  features: readonly string[] = FEATURES,
  options: ConnectOptions = {},
): Promise<Scene> {
  const client = nodes.open(options);
  const session = await nodes.old.session();
  session.hello({ features });
  await until("open", () => client.state.status === "open");
  return { client, session };
}

/** Answers the next consume; returns it. */
export async function answerConsume(session: ScriptedSession) {
  const consume: { type?: unknown; ref: number } = { ...(await session.next("consume")) };
  delete consume.type;
  session.send({ type: "consuming", ...consume, credit: undefined, where: undefined });
  return consume;
}

/** Sends a delivery of a consumer. */
export function deliver(
  session: ScriptedSession,
  ref: number,
  tag: number,
  members: object = {},
): void {
  session.send({ type: "delivery", ref, tag, ...CONTENT, ...members });
}
