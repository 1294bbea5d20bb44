import { WebSocket } from "ws";
import { connect, type ConnectOptions, type SluiceClient, type SluiceError } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** The log that a client comes from. */
export const OLD = "00000000000000a1";
/** That of the other node. */
export const NEW = "00000000000000b2";
/** What the other node's `subscribed` has where nothing is missing. */
export const RECOVERED = { epoch: NEW, recovered: true, time: undefined };
/** Where nobody listens. */
export const NOWHERE = "ws://127.0.0.1:1/ws";

/** A client with a live subscription, what that hears, and its session at the old node. */
export interface Subscriber {
  readonly client: SluiceClient;
  readonly session: ScriptedSession;
  readonly heard: unknown[];
}

/** Two nodes, the clients that may go from one to the other, and what these tell; all of it grows. */
export class TwoNodes {
  readonly old: ScriptedNode;
  readonly other: ScriptedNode;
  readonly errors: SluiceError[] = [];
  readonly states: string[] = [];
  readonly moves: unknown[] = [];
  readonly #clients: SluiceClient[] = [];

  private constructor(old: ScriptedNode, other: ScriptedNode) {
    this.old = old;
    this.other = other;
  }

  static async start(): Promise<TwoNodes> {
    return new TwoNodes(await ScriptedNode.start(), await ScriptedNode.start());
  }

  open(options: ConnectOptions = {}, urls: string | string[] = this.old.url): SluiceClient {
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
    const heard: unknown[] = [];
    client.subscribe("a", {
      onMessage: ({ payload }) => heard.push(payload),
      onGap: ({ reason }) => heard.push(reason),
    });
    const session = await this.old.session();
    session.hello({ node: "gw-1" });
    await session.subscribed(0, { epoch: OLD });
    session.message("a", 1, "one");
    await until("a message", () => heard.length === 1);
    return { client, session, heard };
  }

  drain(session: ScriptedSession, url: string | undefined = this.other.url): void {
    session.send({ type: "draining", deadline: Date.now() + 20_000, url });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([this.old.stop(), this.other.stop()]);
  }
}
