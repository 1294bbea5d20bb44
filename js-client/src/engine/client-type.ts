import type { ClientEvents } from "./client-events.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import type { Transport } from "./options.js";
import type { Message, PayloadKind } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { Presence, PresenceOptions } from "../queues/presence-types.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import type { PendingPublish } from "./pending-publish.js";
import type { Consumer } from "../queues/consumer-types.js";
import type { Queue } from "../queues/queue-types.js";
import type {
  Reply,
  RequestHandler,
  RequestOptions,
  ServeOptions,
  TypedReply,
} from "../queues/request-types.js";
import type { StandardSchema } from "./standard-schema.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type {
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "../queues/subscription-types.js";
import type { KindOf, TypedMessage } from "./topic-map.js";
import type { Transaction } from "../queues/transaction-types.js";

/**
 * Common interface of all clients. `connect` returns one with its own connection, with automatic
 * reconnect and resubscription, until `close` is called or a node refuses it. `connectShared` returns
 * a client that shares a connection with other tabs. A client with a topic map is a
 * {@link TypedClient}.
 */
export interface Client {
  /** Current state of the connection. */
  readonly state: ConnectionState;
  /** Transport in use; undefined while there is no session. */
  readonly transport: Transport | undefined;
  /** Offset of the node's clock from the local one; undefined before the first connection. */
  readonly clockOffset: ClockOffset | undefined;
  /**
   * Subscribes to a topic, or to a pattern (`*` for one level, `>` for the rest). The subscription
   * survives reconnects: it resumes at its position. If that is impossible, a gap is reported
   * first.
   *
   * Observers with the same topic, `delivery`, `rate` and `where` share one subscription on the
   * wire. An observer that joins later receives the messages from then on. If it requests a start
   * with `from`, it has its own subscription on the wire.
   *
   * @throws SluiceError `invalid-argument`, or `closed`
   */
  subscribe<Output>(
    topic: string,
    observer: MessageHandler<TypedMessage<Output>>,
    options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
  ): Subscription<TypedMessage<Output>>;
  /** Subscribes with payloads of one kind. */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription<Message<Kind>>;
  /** Subscribes with payloads of a type that the publisher guarantees. */
  subscribe<Value>(
    topic: string,
    observer: MessageHandler<TypedMessage<Value>>,
    options: SubscribeOptions & { readonly payload: KindOf<Value> },
  ): Subscription<TypedMessage<Value>>;
  /** Subscribes with payloads of the kind that was published. */
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  /**
   * Returns a subscription without a handler, for one loop over its messages. It starts and ends
   * with the loop, as in `messages`.
   */
  subscribe<Output>(
    topic: string,
    options: MessagesOptions & { readonly schema: StandardSchema<Output> },
  ): Subscription<TypedMessage<Output>>;
  /** Returns a subscription for a loop, with payloads of one kind. */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): Subscription<Message<Kind>>;
  /** Returns a subscription for a loop, with payloads of a type that the publisher guarantees. */
  subscribe<Value>(
    topic: string,
    options: MessagesOptions & { readonly payload: KindOf<Value> },
  ): Subscription<TypedMessage<Value>>;
  /** Returns a subscription for a loop, with payloads of the kind that was published. */
  subscribe(topic: string, options?: MessagesOptions): Subscription;
  /**
   * Returns the messages of a topic or pattern as an async iterator: `for await (const message of
   * …)`.
   *
   * It subscribes when the loop starts. The subscription ends with the loop: by `break`, `return`
   * or a throw in the loop, by the `signal` option, or by `close`. The loop throws a SluiceError if
   * the node refuses the subscription or the client, or if the loop is too slow for its buffer.
   * Where messages may be missing, the next message has `gapBefore`. The code for loops is a
   * separate module, loaded when the first loop starts.
   *
   * @throws SluiceError `invalid-argument`
   */
  messages<Output>(
    topic: string,
    options: MessagesOptions & { readonly schema: StandardSchema<Output> },
  ): AsyncGenerator<TypedMessage<Output>, void, undefined>;
  /** Returns the messages with payloads of one kind. */
  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  /** Returns the messages with payloads of a type that the publisher guarantees. */
  messages<Value>(
    topic: string,
    options: MessagesOptions & { readonly payload: KindOf<Value> },
  ): AsyncGenerator<TypedMessage<Value>, void, undefined>;
  /** Returns the messages with payloads of the kind that was published. */
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  /**
   * Publishes a message. Without a connection the message is queued; the options `maxPublishes` and
   * `publishTimeout` limit the queue. Publishes reach the broker in the order of the calls. With
   * `schemas`, an invalid payload rejects with `invalid-payload` and is not sent.
   *
   * The code for publishing is a separate module, loaded by the first call.
   *
   * @returns a promise that resolves when the broker has accepted the message; for the meaning of a
   *   rejection see {@link ClientErrorCode}
   */
  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void>;
  /** Publishes without an answer, oldest first; the event `pending` reports changes. */
  readonly pendingPublishes: readonly PendingPublish[];
  /** Returns a queue of the broker. A client of `connectShared` can only publish to it. */
  queue(name: string): Queue;
  /**
   * Sends a request to a topic and returns the first reply. It waits for a connection, and is sent
   * once: if the connection ends before the reply, the request may have been processed.
   *
   * @returns a promise of the reply; it rejects with `timeout` without a reply in time, and with
   *   `connection-lost` if the connection ends before
   */
  request<Kind extends PayloadKind>(
    topic: string,
    payload: PublishPayload,
    options: RequestOptions & { readonly reply: Kind },
  ): Promise<Reply<Kind>>;
  /** Sends a request; the reply has a type that the server guarantees. */
  request<Value>(
    topic: string,
    payload: PublishPayload,
    options: RequestOptions & { readonly reply: KindOf<Value> },
  ): Promise<TypedReply<Value>>;
  /** Sends a request; the reply has the kind that was published. */
  request(topic: string, payload: PublishPayload, options?: RequestOptions): Promise<Reply>;
  /** Serves requests that arrive on a queue; same as `queue(name).serve`. */
  serve<Kind extends PayloadKind>(
    queue: string,
    handler: RequestHandler<Kind>,
    options: ServeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Serves requests with payloads of the kind that was published. */
  serve(queue: string, handler: RequestHandler, options?: ServeOptions): Promise<Consumer>;
  /** Returns a durable subscription of the client's principal. */
  durable(topic: string, name: string): DurableSubscription;
  /** Returns a shared subscription of the client's principal. */
  shared(topic: string, name: string): SharedSubscription;
  /** Lists the durable subscriptions of the client's principal. */
  durables(): Promise<DurableList>;
  /**
   * Publishes messages and acknowledges deliveries in one JMS transaction: all of it takes effect,
   * or nothing. It is never repeated.
   *
   * @param build - Adds the content; called once, and not asynchronous. An error that it throws
   *   rejects the promise, and nothing is sent.
   * @returns a promise that resolves when the broker has committed the transaction
   */
  transaction(build: (transaction: Transaction) => void): Promise<void>;
  /**
   * Enters a topic, watches who is in it, or both.
   *
   * @returns a promise of the presence, which resolves with the first state
   */
  presence(topic: string, options?: PresenceOptions): Promise<Presence>;
  /**
   * Adds a listener of an event.
   *
   * @returns a function that removes the listener
   * @throws SluiceError `invalid-argument`
   */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo;
  /**
   * Waits for a session; the first call opens it if the client belongs to a component.
   *
   * @returns a promise that rejects with the reason if the client is closed
   */
  ready(): Promise<void>;
  /** Reconnects at once if the client is waiting for its next attempt; otherwise does nothing. */
  retryNow(): void;
  /**
   * Ends the connection until `resume` is called; does nothing if the client is closed. Subscriptions
   * keep their positions, publishes wait as without a network, and requests fail with
   * `connection-lost`.
   *
   * @throws SluiceError `unsupported` for a client of `connectShared`
   */
  pause(): void;
  /** Connects again after `pause`; subscriptions continue at their positions. */
  resume(): void;
  /** Closes the connection permanently. Unanswered publishes fail. */
  close(): void;
}
