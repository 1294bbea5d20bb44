import type { Client } from "../engine/client-type.js";
import type { Clock } from "../engine/clock.js";
import type { Undo } from "../engine/emitter.js";
import type { Limits } from "../engine/frames.js";
import type { ConnectOptions } from "../engine/options.js";
import type { PresenceMember } from "../queues/presence-types.js";
import type { Destination, PublishPayload } from "../engine/publish-options.js";
import type { WebSocketConstructor } from "../transport/socket.js";
import type { GapReason } from "../engine/subscription-state.js";
import type { TestMessage, TestPublishOptions } from "./stored-message.js";

/** Options of {@link createTestBroker}. All of them are optional. */
export interface TestBrokerOptions {
  /** Source of time and timers for broker, nodes and clients; default the system clock. */
  readonly clock?: Clock;
  /** Source of random numbers for clients; default always 0.5. */
  readonly random?: () => number;
  /** Maximum number of messages in each log, 1 to 1,000,000; default 10,000. */
  readonly history?: number;
  /** Attempts after which a message moves to the queue `DLQ`, 1 to 1,000; default 10. */
  readonly maxDeliveries?: number;
  /** Time for which a lost client remains a member of its topics, in milliseconds; default 10,000. */
  readonly presenceGrace?: number;
  /** Lifetime of each token from its first use, in milliseconds; default unlimited. */
  readonly tokenLifetime?: number;
  /**
   * Returns whether nodes accept a token; default all, also none. A text accepts it and is its
   * subject, to which durable subscriptions belong and which members show. Clients without a subject
   * are one principal.
   */
  readonly authenticate?: (token: string | undefined) => boolean | string;
  /** Limits that nodes announce and enforce, except `publishRate`, which is only announced. */
  readonly limits?: Partial<Limits>;
}

/** Options for `connect` that lead to the nodes of a test broker. */
export interface TestConnectOptions extends ConnectOptions {
  /** WebSocket class of the in-memory network. */
  readonly WebSocket: WebSocketConstructor;
  /** Clock of the broker. */
  readonly clock: Clock;
  /** Random numbers of the broker. */
  readonly random: () => number;
}

/** Queue of a test broker. */
export interface TestQueue {
  /** Name of the queue. */
  readonly name: string;
  /** Messages that no consumer has, oldest first. */
  readonly messages: readonly TestMessage[];
  /**
   * Sends a message to the queue.
   *
   * @throws SluiceError `invalid-argument`, or `broker-unavailable` while the broker is stopped
   */
  publish(payload: PublishPayload, options?: TestPublishOptions): void;
  /** Returns all pending messages to the queue, as after a timeout. */
  takeBack(): void;
}

/** Policy of a full durable subscription: it discards messages, or refuses the publish. */
export type Overflow = "drop" | "refuse";

/** Durable subscription of a test broker, which clients create and delete. */
export interface TestDurable {
  /** Topic or pattern. */
  readonly topic: string;
  /** Name of the subscription. */
  readonly name: string;
  /** Returns whether the broker has the subscription. */
  readonly exists: boolean;
  /** Messages that no consumer has, oldest first. */
  readonly messages: readonly TestMessage[];
  /** Returns all pending messages to the subscription, as after a timeout. */
  takeBack(): void;
  /**
   * Deletes the subscription with its messages, as a broker does after a long time without consumers.
   * The next consumer creates another one, without notice.
   *
   * @throws SluiceError `subscription-in-use` while it has consumers
   */
  expire(): void;
  /**
   * Lets the subscription be full: it discards further messages, or publishes fail with
   * `publish-failed` and transactions with `transaction-failed`.
   *
   * @returns a function that ends it
   */
  overflow(policy: Overflow): Undo;
}

/** Member of a topic that a test has added. */
export interface TestMember {
  /** Identifies the member in its topic. */
  readonly id: string;
  /** Replaces the `info` of the member. */
  update(info: unknown): void;
  /** Removes the member. */
  leave(): void;
}

/** Presence of a topic at all nodes of a test broker. */
export interface TestPresence {
  /** Members, including clients. */
  readonly members: readonly PresenceMember[];
  /** True if members at other nodes may be missing; a test can change it. Default false. */
  partial: boolean;
  /** Adds a member, as if it were a client at another node. */
  join(info?: unknown, subject?: string): TestMember;
}

/** Failure of a transaction. All members are optional; without any the broker refuses it. */
export interface TransactionFault {
  /**
   * True: the connection ends before the answer. Default false: the answer is `transaction-failed`,
   * and the messages of the consumer return to the queue.
   */
  readonly cut?: boolean;
  /** True: the broker has stored the transaction, although the client does not learn it. */
  readonly stored?: boolean;
  /** Message of the error. */
  readonly message?: string;
}

/**
 * Use of a topic or queue. `members` is the permission to see the members of a topic; `presence` and
 * `durable` also require `subscribe`.
 */
export type TestUse =
  "publish" | "subscribe" | "consume" | "browse" | "durable" | "shared" | "presence" | "members";

/** Returns the payload of a reply; undefined if there is none. */
export type Responder = (request: TestMessage) => PublishPayload | undefined;

/** In-memory broker; {@link createTestBroker} creates it. */
export interface TestBroker {
  /** Starts a node of this broker. The name is part of its URL; default `node-1` and so on. */
  node(name?: string): TestNode;
  /**
   * Publishes a message to a topic.
   *
   * @throws SluiceError `invalid-argument`, or `broker-unavailable` while the broker is stopped
   */
  publish(topic: string, payload: PublishPayload, options?: TestPublishOptions): void;
  /** Returns the messages of a topic or pattern, oldest first, including those of clients. */
  messages(topic: string): readonly TestMessage[];
  /** Returns a queue, which is created by its first use. */
  queue(name: string): TestQueue;
  /** Loads the controls of a durable subscription, which may not exist yet. */
  durable(
    topic: string,
    name: string,
    /** Subject of the clients to which it belongs; default those without a subject. */
    subject?: string,
  ): Promise<TestDurable>;
  /** Loads the controls of the presence of a topic. */
  presence(topic: string): Promise<TestPresence>;
  /** Lets the next transaction fail. Several calls affect several transactions. */
  failTransaction(fault?: TransactionFault): void;
  /**
   * Replies to the requests that clients send to a topic or queue. Messages that request no reply
   * are not affected.
   *
   * @returns a function that removes the responder
   */
  respond(destination: Destination, responder: Responder): Undo;
  /** Stops the broker: nodes report `stale`, and consumers lose their messages. */
  stop(): void;
  /** Starts the broker again: every subscription gets a gap, and nodes report `live`. */
  start(): void;
  /** Expires all tokens in use. Their sessions end, and nodes refuse them from then on. */
  expireTokens(): void;
  /** Waits until everything has happened that happens without a timer. */
  idle(): Promise<void>;
  /** Closes the clients that nodes have created, and all connections. */
  close(): void;
}

/** Connection of a client, as seen by its node. */
export interface TestConnection {
  /** Token of the client; undefined without one. */
  readonly token: string | undefined;
  /** Topics and patterns of its subscriptions. */
  readonly topics: readonly string[];
  /** Sends any frame to the client. */
  send(frame: object): void;
  /** Closes the connection with a close code. */
  close(code: number, reason?: string): void;
  /** Ends the connection without a close frame; frames in flight are lost. */
  cut(): void;
}

/** In-memory node of a {@link TestBroker}. */
export interface TestNode {
  /** Name of the node. */
  readonly name: string;
  /** Address for `connect`. */
  readonly url: string;
  /** Options for `connect`; the same for all nodes of a broker. */
  readonly options: TestConnectOptions;
  /** Open connections, oldest first. */
  readonly connections: readonly TestConnection[];
  /** Connects a client; same as `connect(node.url, { ...node.options, ...options })`. */
  connect(options?: ConnectOptions): Client;
  /** Ends all connections without a close frame; frames in flight are lost. */
  cutConnections(): void;
  /** Closes all connections with a close code. */
  closeConnections(code: number, reason?: string): void;
  /** Closes all connections as those of slow consumers; frames in flight are lost. */
  closeSlowConsumers(): void;
  /** Refuses further connections. */
  refuseConnections(): void;
  /** Accepts connections again, and ends a drain. */
  acceptConnections(): void;
  /** Ends all connections and forgets all messages, like a node that crashes and starts again. */
  restart(): void;
  /**
   * Sends `draining` to all clients and refuses new ones. After `ms` milliseconds, default 10,000, the
   * node closes the rest.
   */
  drain(options?: {
    /** Node to which clients move; default one of the addresses of each client. */
    readonly to?: TestNode;
    /** Time until the node closes connections, in milliseconds. */
    readonly ms?: number;
  }): void;
  /** Redirects current and new clients to another node; undefined ends it. */
  redirectTo(node: TestNode | undefined): void;
  /**
   * Refuses a topic, a pattern and what it covers, or a queue; active subscriptions and consumers
   * end.
   *
   * @param code - Code of the error; default `forbidden`.
   * @param use - Use to refuse; default all.
   * @returns a function that permits it again
   */
  forbid(topic: string, code?: string, use?: TestUse): Undo;
  /** Reports to the subscriptions of a topic or pattern that messages are missing. */
  loseMessages(topic: string, reason?: GapReason): void;
}
