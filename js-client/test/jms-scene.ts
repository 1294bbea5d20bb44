import assert from "node:assert/strict";
import { WebSocket } from "ws";
import {
  ConnectionFactory,
  TextMessage,
  type ConnectionFactoryOptions,
  type JMSConsumer,
  type JMSContext,
  type JMSException,
  type Message,
  type SessionModeValue,
} from "../src/jms.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** Features of a node that supports everything. */
export const FEATURES = [
  "delay",
  "durable",
  "publish-id",
  "queues",
  "selectors",
  "shared",
  "transacted-acks",
  "transactions",
];

/** Message as a node delivers it, without `ref` and `tag`. */
const MESSAGE = { type: "delivery", id: "9e3779b97f4a7c15", time: 1_763_700_000_000 };

type Frame = Awaited<ReturnType<ScriptedSession["next"]>>;

/** Context with an open connection, and its session at the node. */
export class JmsScene {
  readonly node: ScriptedNode;
  readonly context: JMSContext;
  readonly session: ScriptedSession;
  /** Exceptions that the context has reported so far. */
  readonly exceptions: JMSException[] = [];

  private constructor(node: ScriptedNode, context: JMSContext, session: ScriptedSession) {
    this.node = node;
    this.context = context;
    this.session = session;
    context.setExceptionListener((exception) => this.exceptions.push(exception));
  }

  static async open(
    sessionMode: SessionModeValue = 1,
    options: ConnectionFactoryOptions = {},
    hello: object = { features: FEATURES },
  ): Promise<JmsScene> {
    const node = await ScriptedNode.start();
    const factory = new ConnectionFactory(node.url, {
      WebSocket,
      transports: ["websocket"],
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      ...options,
    });
    const context = factory.createContext({ sessionMode });
    const session = await node.session();
    session.hello({ ...hello });
    return new JmsScene(node, context, session);
  }

  get codes(): readonly string[] {
    return this.exceptions.map(({ errorCode }) => errorCode);
  }

  async stop(): Promise<void> {
    // The node would not answer the end of consumers.
    const closed = this.context.close();
    await this.node.stop();
    await closed;
  }

  /** Creates a consumer and answers its `consume`. */
  async consume(
    create: (context: JMSContext) => Promise<JMSConsumer>,
  ): Promise<{ readonly consumer: JMSConsumer; readonly frame: Frame; readonly ref: number }> {
    const created = create(this.context);
    const frame = await this.session.next("consume");
    const { ref, queue, topic, durable, shared } = frame;
    this.session.send({ type: "consuming", ref, queue, topic, durable, shared });
    return { consumer: await created, frame, ref };
  }

  /** Creates a consumer of the queue `orders`. */
  orders(selector?: string): ReturnType<JmsScene["consume"]> {
    return this.consume((context) =>
      context.createConsumer(context.createQueue("orders"), selector),
    );
  }

  /** Delivers a text message. */
  deliver(ref: number, tag: number, payload: unknown, members: object = {}): void {
    this.session.send({ ...MESSAGE, ref, tag, payload, ...members });
  }

  /** Answers the next settlement of this type; returns it. */
  async settled(type: "ack" | "release"): Promise<Frame> {
    const frame = await this.session.next(type);
    this.session.send({ type: "settled", ref: frame.ref, subscription: frame["subscription"] });
    return frame;
  }

  /** Answers the next frame of this type with another one that has its number; returns it. */
  async answer(type: string, answer: object): Promise<Frame> {
    const frame = await this.session.next(type);
    this.session.send({ ref: frame.ref, ...answer });
    return frame;
  }

  async reported(count = 1): Promise<void> {
    await until("an exception is reported", () => this.exceptions.length >= count);
  }
}

/** Returns the frame without its number. */
export function members(frame: Frame): object {
  return Object.fromEntries(Object.entries(frame).filter(([name]) => name !== "ref"));
}

/** Handlers of messages that run until the test completes them. */
export class Handlers {
  readonly messages: Message[] = [];
  readonly #ends: (() => void)[] = [];

  readonly listener = (message: Message): Promise<void> => {
    this.messages.push(message);
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  get texts(): readonly unknown[] {
    return this.messages.map(textOf);
  }

  complete(): void {
    this.#ends.shift()?.();
  }

  async has(count: number): Promise<void> {
    await until("messages are delivered", () => this.messages.length >= count);
  }
}

/** Returns the text of a TextMessage. */
export function textOf(message: Message | null | undefined): string | null {
  assert.ok(message instanceof TextMessage);
  return message.getText();
}
