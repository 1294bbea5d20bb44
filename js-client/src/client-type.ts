import type { ClientEvents } from "./client-events.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import type { Transport } from "./options.js";
import type { Message, PayloadKind } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { Presence, PresenceOptions } from "./presence-types.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import type { PendingPublish } from "./pending-publish.js";
import type { Consumer } from "./consumer-types.js";
import type { Queue } from "./queue-types.js";
import type { Reply, RequestHandler, RequestOptions, ServeOptions } from "./request-types.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { DurableList, DurableSubscription, SharedSubscription } from "./subscription-types.js";
import type { Transaction } from "./transaction-types.js";

/**
 * Common interface of all clients. A `SluiceClient` has its own connection; `connectShared` returns
 * a client that shares a connection with other tabs. `SluiceClient` documents each member in
 * detail.
 */
export interface Client {
  /** Current state of the connection. */
  readonly state: ConnectionState;
  /** Transport in use; undefined while there is no session. */
  readonly transport: Transport | undefined;
  /** Offset of the node's clock from the local one; undefined before the first connection. */
  readonly clockOffset: ClockOffset | undefined;
  /**
   * Subscribes to a topic or pattern.
   *
   * @throws SluiceError `invalid-argument`, or `closed`
   */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription<Kind>;
  /** Subscribes with payloads of the kind that was published. */
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  /** Returns a subscription without a handler, for one loop over its messages. */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): Subscription<Kind>;
  /** Returns a subscription for a loop, with payloads of the kind that was published. */
  subscribe(topic: string, options?: MessagesOptions): Subscription;
  /**
   * Returns the messages of a topic or pattern as an async iterator, which subscribes when the loop
   * starts.
   *
   * @throws SluiceError `invalid-argument`
   */
  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  /** Returns the messages with payloads of the kind that was published. */
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  /**
   * Publishes a message.
   *
   * @returns a promise that resolves when the broker has accepted the message
   */
  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void>;
  /** Publishes without an answer, oldest first; the event `pending` reports changes. */
  readonly pendingPublishes: readonly PendingPublish[];
  /** Returns a queue of the broker. A client of `connectShared` can only publish to it. */
  queue(name: string): Queue;
  /**
   * Sends a request to a topic and returns the first reply. It is never repeated.
   *
   * @returns a promise of the reply; it rejects with `timeout` without a reply in time, and with
   *   `connection-lost` if the connection ends before
   */
  request<Kind extends PayloadKind>(
    topic: string,
    payload: PublishPayload,
    options: RequestOptions & { readonly reply: Kind },
  ): Promise<Reply<Kind>>;
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
  /** Reconnects at once if the client is waiting for its next attempt; otherwise does nothing. */
  retryNow(): void;
  /** Closes the connection permanently. Unanswered publishes fail. */
  close(): void;
}
