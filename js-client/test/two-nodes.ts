import { WebSocket } from "ws";
import { connect, type ConnectOptions, type Client, type SluiceError } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** Log of the old node. */
export const OLD = "00000000000000a1";
/** Log of the other node. */
export const NEW = "00000000000000b2";
/** Members of the other node's `subscribed` if nothing is missing. */
export const RECOVERED = { epoch: NEW, recovered: true, time: undefined };
/** Address without a listener. */
export const NOWHERE = "ws://127.0.0.1:1/ws";

/** Client with a live subscription, its received messages, and its session at the old node. */
export interface Subscriber {
  readonly client: Client;
  readonly session: ScriptedSession;
  readonly received: unknown[];
}

/** Two nodes and their clients, with all events that these have reported so far. */
export class TwoNodes {
  readonly old: ScriptedNode;
  readonly other: ScriptedNode;
  readonly errors: SluiceError[] = [];
  readonly states: string[] = [];
  readonly moves: unknown[] = [];
  readonly #clients: Client[] = [];

  private constructor(old: ScriptedNode, other: ScriptedNode) {
    this.old = old;
    this.other = other;
  }

  static async start(): Promise<TwoNodes> {
    return new TwoNodes(await ScriptedNode.start(), await ScriptedNode.start());
  }

  open(options: ConnectOptions = {}, urls: string | string[] = this.old.url): Client {
    const client = connect(urls, {
      WebSocket,
      transports: ["websocket"],
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      ...options,
    });
    client.on("error", (error) => this.errors.push(error));
    client.on("state", ({ status }) => this.states.push(status));
    client.on("moved", (move) => this.moves.push(move));
    this.#clients.push(client);
    return client;
  }

  async openWithTopic(options: ConnectOptions = {}): Promise<Subscriber> {
    const client = this.open(options);
    const received: unknown[] = [];
    client.subscribe("a", {
      onMessage: ({ payload }) => received.push(payload),
      onGap: ({ reason }) => received.push(reason),
    });
    const session = await this.old.session();
    session.hello({ node: "gw-1" });
    await session.subscribed(0, { epoch: OLD });
    session.message("a", 1, "one");
    await until("a message", () => received.length === 1);
    return { client, session, received };
  }

  drain(session: ScriptedSession, url: string | undefined = this.other.url): void {
    session.send({ type: "draining", deadline: Date.now() + 20_000, url });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([this.old.stop(), this.other.stop()]);
  }
}
