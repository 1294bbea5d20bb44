import { BytesMessage } from "./bytes-message.js";
import { ClientSettlement } from "./client-settlement.js";
import type { Connection } from "./connection.js";
import { SessionMode, type SessionModeValue } from "./constants.js";
import { Queue, Topic, type Destination } from "./destinations.js";
import { Dispatcher } from "./dispatcher.js";
import { toJmsException, translated } from "./error-codes.js";
import {
  InvalidDestinationException,
  JMSException,
  JMSIllegalStateException,
} from "./exceptions.js";
import { feedOfConsumer, feedOfTopic, type OpenFeed } from "./feeds.js";
import { JMSConsumer, type ConsumerContext } from "./jms-consumer.js";
import { JMSProducer } from "./jms-producer.js";
import type { ExceptionListener } from "./listeners.js";
import { MapMessage } from "./map-message.js";
import { Message } from "./message.js";
import { QueueBrowser } from "./queue-browser.js";
import { Sender, topicOf } from "./sender.js";
import { AutoSettlement, type Settlement } from "./settlement.js";
import { StreamMessage } from "./stream-message.js";
import { TemporaryQueue } from "./temporary-queue.js";
import { TextMessage } from "./text-message.js";
import { LocalTransaction } from "./transaction.js";

/**
 * Settings of a context.
 *
 * @internal
 */
export type ContextSettings = Pick<
  ConsumerContext,
  "timers" | "prefetch" | "maxUnsettled" | "topicBuffer"
>;

/**
 * Connection and session of Jakarta Messaging. Functions that block in Java return a promise.
 * Listeners are called one after the other.
 */
export class JMSContext {
  /** See {@link SessionMode}. */
  static readonly SESSION_TRANSACTED = SessionMode.SESSION_TRANSACTED;
  /** See {@link SessionMode}. */
  static readonly AUTO_ACKNOWLEDGE = SessionMode.AUTO_ACKNOWLEDGE;
  /** See {@link SessionMode}. */
  static readonly CLIENT_ACKNOWLEDGE = SessionMode.CLIENT_ACKNOWLEDGE;
  /** See {@link SessionMode}. */
  static readonly DUPS_OK_ACKNOWLEDGE = SessionMode.DUPS_OK_ACKNOWLEDGE;

  readonly #connection: Connection;
  readonly #settings: ContextSettings;
  readonly #mode: SessionModeValue;
  readonly #transaction: LocalTransaction | undefined;
  readonly #settlement: Settlement;
  readonly #sender: Sender;
  readonly #dispatcher = new Dispatcher();
  readonly #consumers = new Set<JMSConsumer>();
  readonly #consumerContext: ConsumerContext;
  readonly #release: () => void;
  #exceptionListener: ExceptionListener | null = null;
  #isAutoStart = true;
  #temporaryQueues = 0;
  #isClosed = false;

  /** @internal */
  constructor(connection: Connection, settings: ContextSettings, mode: SessionModeValue) {
    const { client } = connection;
    this.#connection = connection;
    this.#settings = settings;
    this.#mode = mode;
    const isTransacted = mode === SessionMode.SESSION_TRANSACTED;
    this.#transaction = isTransacted ? new LocalTransaction(connection) : undefined;
    this.#settlement = this.#transaction ?? this.#createSettlement();
    this.#sender = new Sender(client, this.#transaction);
    this.#consumerContext = {
      ...settings,
      dispatcher: this.#dispatcher,
      settlement: this.#settlement,
      report: this.#report,
      acknowledge: () => this.acknowledge(),
      onClosed: (consumer) => this.#consumers.delete(consumer),
    };
    this.#release = connection.retain(this.#report);
  }

  /** Creates another context with the same connection. */
  createContext(sessionMode: SessionModeValue = SessionMode.AUTO_ACKNOWLEDGE): JMSContext {
    this.#checkOpen();
    return new JMSContext(this.#connection, this.#settings, sessionMode);
  }

  /** Returns the session mode. */
  getSessionMode(): SessionModeValue {
    return this.#mode;
  }

  /** Returns whether the context is transacted. */
  getTransacted(): boolean {
    return this.#transaction !== undefined;
  }

  /** Sets the listener of problems that no call reports; without one they are logged. */
  setExceptionListener(listener: ExceptionListener | null): void {
    this.#exceptionListener = listener;
  }

  /** Returns the exception listener. */
  getExceptionListener(): ExceptionListener | null {
    return this.#exceptionListener;
  }

  /** Creates a topic; a consumer can also use a pattern such as `stocks.*`. */
  createTopic(name: string): Topic {
    return new Topic(name);
  }

  /** Creates a queue. */
  createQueue(name: string): Queue {
    return new Queue(name);
  }

  /**
   * Creates a queue for replies. A message that is sent with it as JMSReplyTo is a request: `send`
   * resolves when the reply has arrived, and rejects after the time to live, by default 5 s.
   */
  createTemporaryQueue(): TemporaryQueue {
    this.#checkOpen();
    const name = `temporary-${String(++this.#temporaryQueues)}`;
    return new TemporaryQueue(name, this.#settings.topicBuffer);
  }

  /** Creates a message without a body, which is sent as an empty TextMessage. */
  createMessage(): Message {
    return new Message();
  }

  /** Creates a message with text. */
  createTextMessage(text: string | null = null): TextMessage {
    return new TextMessage(text);
  }

  /** Creates a message with bytes. */
  createBytesMessage(): BytesMessage {
    return new BytesMessage();
  }

  /** Creates a message with named values. */
  createMapMessage(): MapMessage {
    return new MapMessage();
  }

  /** Creates a message with a sequence of values. */
  createStreamMessage(): StreamMessage {
    return new StreamMessage();
  }

  /** Creates a producer. */
  createProducer(): JMSProducer {
    this.#checkOpen();
    return new JMSProducer(async (outgoing) => {
      this.#checkOpen();
      await this.#sender.send(outgoing);
    });
  }

  /**
   * Creates a consumer of a queue, or of a topic that all its consumers receive completely.
   *
   * @returns a promise that resolves when the consumer is active, and rejects if it is refused.
   *   Without a connection it waits for one.
   */
  createConsumer(destination: Destination, selector: string | null = null): Promise<JMSConsumer> {
    if (destination instanceof TemporaryQueue) {
      return this.#open(destination.getQueueName(), null, destination.feed);
    }
    const { client } = this.#connection;
    const where = whereOf(selector);
    if (destination instanceof Topic) {
      const name = destination.getTopicName();
      return this.#open(name, selector, feedOfTopic(client, name, where));
    }
    const name = destination.getQueueName();
    const queue = client.queue(name);
    const consume: typeof queue.consume = queue.consume.bind(queue);
    return this.#open(name, selector, feedOfConsumer(consume, destination, where));
  }

  /**
   * Creates a consumer of a durable subscription; consumers with the same topic and name share its
   * messages. The subscription belongs to the principal of the connection.
   */
  createDurableConsumer(
    topic: Topic,
    name: string,
    selector: string | null = null,
  ): Promise<JMSConsumer> {
    return this.#openSubscription("durable", topic, name, selector);
  }

  /** Creates a consumer of a shared subscription, which ends with its last consumer. */
  createSharedConsumer(
    topic: Topic,
    name: string,
    selector: string | null = null,
  ): Promise<JMSConsumer> {
    return this.#openSubscription("shared", topic, name, selector);
  }

  /** Same as `createDurableConsumer`: durable subscriptions can be shared. */
  createSharedDurableConsumer(
    topic: Topic,
    name: string,
    selector: string | null = null,
  ): Promise<JMSConsumer> {
    return this.#openSubscription("durable", topic, name, selector);
  }

  /**
   * Creates a browser of a queue.
   *
   * @param max - Maximum number of messages, 1 to the limit of the node; by default 100.
   */
  createBrowser(queue: Queue, selector: string | null = null, max?: number): QueueBrowser {
    this.#checkOpen();
    return new QueueBrowser(this.#connection, queue, whereOf(selector) ?? null, max);
  }

  /**
   * Removes a durable subscription with its messages.
   *
   * @param topic - Topic of the subscription; required if several topics have one with this name.
   */
  async unsubscribe(name: string, topic?: Topic): Promise<void> {
    this.#checkOpen();
    const { client } = this.#connection;
    await this.#connection.ready();
    const of = topic ? topicOf(topic) : await this.#findTopic(name);
    await translated(client.durable(of, name).delete());
  }

  /** Acknowledges all messages that the context has delivered, in the mode CLIENT_ACKNOWLEDGE. */
  async acknowledge(): Promise<void> {
    this.#checkOpen();
    await this.#settlement.acknowledge();
  }

  /** Commits the sends and the delivered messages of a transacted context. */
  async commit(): Promise<void> {
    await this.#transacted().commit();
  }

  /** Drops the sends of a transacted context; delivered messages are delivered again. */
  async rollback(): Promise<void> {
    await this.#transacted().rollback();
  }

  /** Returns the delivered messages that are not acknowledged; they are delivered again. */
  async recover(): Promise<void> {
    this.#checkOpen();
    if (this.#transaction) {
      throw new JMSIllegalStateException("a transacted context has rollback instead of recover");
    }
    await this.#settlement.recover();
  }

  /** Sets whether the creation of a consumer starts the context; default true. */
  setAutoStart(autoStart: boolean): void {
    this.#isAutoStart = autoStart;
  }

  /** Returns whether the creation of a consumer starts the context. */
  getAutoStart(): boolean {
    return this.#isAutoStart;
  }

  /** Starts, or continues, to pass messages to the application. */
  start(): void {
    this.#checkOpen();
    this.#dispatcher.start();
    for (const consumer of this.#consumers) consumer.wake();
  }

  /** Stops; resolves when the running listener has completed. Do not await it in a listener. */
  async stop(): Promise<void> {
    this.#checkOpen();
    await this.#dispatcher.stop();
  }

  /**
   * Closes the context, and the connection with its last context. Messages that are not settled
   * return to their queues; a transaction is rolled back. Do not await it in a listener.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#dispatcher.checkNotInListener();
    this.#isClosed = true;
    await this.#dispatcher.stop();
    try {
      await Promise.all([...this.#consumers].map((consumer) => consumer.end()));
    } finally {
      this.#release();
    }
  }

  /** Same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #report = (exception: JMSException): void => {
    if (!this.#exceptionListener) {
      console.error(exception);
      return;
    }
    try {
      this.#exceptionListener(exception);
    } catch (thrown) {
      console.error(thrown);
    }
  };

  #createSettlement(): Settlement {
    if (this.#mode === SessionMode.CLIENT_ACKNOWLEDGE) return new ClientSettlement();
    return new AutoSettlement(this.#mode === SessionMode.DUPS_OK_ACKNOWLEDGE, this.#report);
  }

  #openSubscription(
    kind: "durable" | "shared",
    topic: Topic,
    name: string,
    selector: string | null,
  ): Promise<JMSConsumer> {
    const { client } = this.#connection;
    const subscription = client[kind](topicOf(topic), name);
    const consume: typeof subscription.consume = subscription.consume.bind(subscription);
    return this.#open(name, selector, feedOfConsumer(consume, topic, whereOf(selector)));
  }

  async #open(name: string, selector: string | null, open: OpenFeed): Promise<JMSConsumer> {
    this.#checkOpen();
    const consumer = new JMSConsumer(this.#consumerContext, name, whereOf(selector) ?? null);
    this.#consumers.add(consumer);
    if (this.#isAutoStart) this.start();
    try {
      const { closed } = this.#connection;
      consumer.start(await Promise.race([open(consumer, this.#settings.prefetch), closed]));
      this.#checkOpen();
      return consumer;
    } catch (thrown) {
      await consumer.end();
      throw toOpenException(thrown);
    }
  }

  async #findTopic(name: string): Promise<string> {
    const all = await translated(this.#connection.client.durables());
    const [first, ...others] = all.filter((info) => info.name === name);
    if (!first) {
      const message = `there is no durable subscription "${name}"`;
      throw new InvalidDestinationException(message, "unknown-subscription");
    }
    if (others.length === 0) return first.topic;
    throw new JMSException(`several topics have a subscription "${name}": pass the topic`);
  }

  #transacted(): LocalTransaction {
    this.#checkOpen();
    if (this.#transaction) return this.#transaction;
    throw new JMSIllegalStateException("the context is not transacted");
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new JMSIllegalStateException("the context is closed", "closed");
  }
}

/** Returns the selector for the SDK; an empty one means none, as in JMS. */
function whereOf(selector: string | null): string | undefined {
  return selector === null || selector.trim() === "" ? undefined : selector;
}

/** An argument that the SDK rejects is the name of the destination or subscription. */
function toOpenException(thrown: unknown): JMSException {
  const exception = toJmsException(thrown);
  const { message, errorCode, cause } = exception;
  const isName = errorCode === "invalid-argument";
  return isName ? new InvalidDestinationException(message, errorCode, cause) : exception;
}
