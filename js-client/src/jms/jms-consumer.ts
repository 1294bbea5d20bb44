import { GrowingCredit } from "./credit.js";
import type { Dispatcher } from "./dispatcher.js";
import { toJmsException, translated } from "./error-codes.js";
import {
  GapException,
  JMSException,
  JMSIllegalStateException,
  MessageFormatException,
  ResourceAllocationException,
} from "./exceptions.js";
import type { Feed } from "./feeds.js";
import type { MessageListener } from "./listeners.js";
import { Message } from "./message.js";
import { ReceiveQueue, type Timers } from "./receive-queue.js";
import type { Received } from "./received.js";
import type { Settlement } from "./settlement.js";
import type { BodyValue } from "./typed-value.js";

/** Context as used by its consumers. */
export interface ConsumerContext {
  readonly dispatcher: Dispatcher;
  readonly settlement: Settlement;
  readonly timers: Timers;
  /** Messages that may wait for the application. */
  readonly prefetch: number;
  /** Maximum number of unsettled messages of a consumer. */
  readonly maxUnsettled: number;
  /** Maximum number of messages of a topic that wait for the application. */
  readonly topicBuffer: number;
  readonly report: (exception: JMSException) => void;
  readonly acknowledge: () => Promise<void>;
  readonly onClosed: (consumer: JMSConsumer) => void;
}

/** Receives messages; created by `JMSContext.createConsumer` and similar functions. */
export class JMSConsumer {
  readonly #context: ConsumerContext;
  readonly #name: string;
  readonly #selector: string | null;
  readonly #queue: ReceiveQueue;
  readonly #credit: GrowingCredit;
  #feed: Feed | undefined;
  #listener: MessageListener | null = null;
  #unsettled = 0;
  /** True once the conflict with messages of another consumer was reported. */
  #hasReported = false;
  #isClosed = false;

  /** @internal */
  constructor(context: ConsumerContext, name: string, selector: string | null) {
    this.#context = context;
    this.#name = name;
    this.#selector = selector;
    this.#queue = new ReceiveQueue(context.timers, (received) => {
      context.settlement.check(this, received);
    });
    this.#credit = new GrowingCredit(context.prefetch, context.maxUnsettled, (credit) => {
      if (!this.#isClosed) this.#feed?.setCredit(credit);
    });
  }

  /** Returns the selector; null if there is none. */
  getMessageSelector(): string | null {
    return this.#selector;
  }

  /** Returns the listener. */
  getMessageListener(): MessageListener | null {
    return this.#listener;
  }

  /**
   * Sets the listener; null removes it. A returned promise is awaited. In AUTO_ACKNOWLEDGE the
   * message is then acknowledged, or released if the promise rejects.
   */
  setMessageListener(listener: MessageListener | null): void {
    this.#checkOpen();
    this.#listener = listener;
    if (listener) this.#context.dispatcher.add(this);
    else this.#context.dispatcher.remove(this);
  }

  /**
   * Waits for a message.
   *
   * @param timeout - Maximum wait in milliseconds; 0, the default, waits until the consumer is
   *   closed.
   * @returns a promise of the message, or of null if none arrived in time
   */
  async receive(timeout = 0): Promise<Message | null> {
    this.#checkReceive(timeout);
    const deadline = Date.now() + timeout;
    for (let rest = timeout; ; rest = deadline - Date.now()) {
      const received = this.#take() ?? (await this.#wait(rest, timeout));
      if (!received) return null;
      if (await this.#accept(received)) return received.message;
    }
  }

  /** Returns a message that has already arrived, or null. */
  async receiveNoWait(): Promise<Message | null> {
    this.#checkReceive(0);
    for (let received = this.#take(); received; received = this.#take()) {
      if (await this.#accept(received)) return received.message;
    }
    return null;
  }

  /** Waits for a message like `receive`, and returns its body. */
  async receiveBody(timeout = 0): Promise<string | Uint8Array | Record<string, BodyValue> | null> {
    const message = await this.receive(timeout);
    return message && bodyOf(message);
  }

  /**
   * Ends the consumer. A call of `receive` that waits returns null. Messages that were passed to
   * the application can still be acknowledged, committed or rolled back.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#context.dispatcher.remove(this);
    this.#queue.close();
    this.#feed?.setCredit(0);
    if (this.#unsettled === 0) await this.end();
  }

  /**
   * Starts to receive messages of the feed.
   *
   * @internal
   */
  start(feed: Feed): void {
    this.#feed = feed;
  }

  /**
   * Ends the feed; messages that are not settled return to their queue.
   *
   * @internal
   */
  async end(): Promise<void> {
    this.#isClosed = true;
    this.#context.dispatcher.remove(this);
    this.#queue.close();
    this.#context.onClosed(this);
    const feed = this.#feed;
    this.#feed = undefined;
    await translated(Promise.resolve(feed?.close()));
  }

  /**
   * Serves calls of `receive` after the context was started.
   *
   * @internal
   */
  wake(): void {
    if (this.#context.dispatcher.isStarted) this.#queue.serve();
  }

  /** @internal */
  onReceived(received: Received): void {
    if (this.#isClosed) return;
    received.message.onAcknowledge = this.#context.acknowledge;
    // A topic is not paused by a slow application.
    if (!received.delivery && this.#queue.size >= this.#context.topicBuffer) {
      this.#queue.drop();
      this.#context.report(new GapException(this.#name, "buffer-full"));
    }
    this.#queue.add(received);
    this.wake();
    this.#context.dispatcher.wake();
  }

  /** @internal */
  onException(exception: JMSException): void {
    this.#context.report(exception);
  }

  /** @internal */
  onSettled(): void {
    this.#unsettled--;
    this.#hasReported = false;
    this.#credit.onUnsettled(this.#unsettled);
    if (this.#isClosed && this.#unsettled === 0) {
      this.end().catch((thrown: unknown) => {
        this.#context.report(toJmsException(thrown));
      });
    }
    // Messages of another consumer may have waited for the settlement.
    this.#context.dispatcher.wake();
  }

  /** @internal */
  get canDispatch(): boolean {
    const received = this.#queue.peek();
    if (!this.#listener || !received) return false;
    try {
      this.#context.settlement.check(this, received);
      return true;
    } catch (thrown) {
      if (!this.#hasReported) this.#context.report(toJmsException(thrown));
      this.#hasReported = true;
      return false;
    }
  }

  /** @internal */
  async dispatch(): Promise<void> {
    const listener = this.#listener;
    const received = this.#queue.take();
    if (!listener || !received) return;
    const { settlement, dispatcher, report } = this.#context;
    this.#deliver(received);
    try {
      try {
        await dispatcher.call(() => listener(received.message));
      } catch (thrown) {
        report(new JMSException(`a listener of ${this.#name} failed`, "handler-failed", thrown));
        await settlement.onFailed(this, received);
        return;
      }
      await settlement.onCompleted(this, received);
    } catch (thrown) {
      report(toJmsException(thrown));
    }
  }

  #take(): Received | undefined {
    return this.#context.dispatcher.isStarted ? this.#queue.take() : undefined;
  }

  #wait(rest: number, timeout: number): Promise<Received | undefined> {
    if (this.#isClosed || (timeout > 0 && rest <= 0)) return Promise.resolve(undefined);
    return this.#queue.wait(rest);
  }

  /** Passes a message to a call of `receive`; returns false if it is not pending any more. */
  async #accept(received: Received): Promise<boolean> {
    this.#deliver(received);
    try {
      await this.#context.settlement.onCompleted(this, received);
      return true;
    } catch (thrown) {
      const exception = toJmsException(thrown);
      if (exception.errorCode === "not-pending") return false;
      throw exception;
    }
  }

  #deliver(received: Received): void {
    this.#unsettled++;
    this.#context.settlement.onDelivered(this, received);
    if (!received.delivery || !this.#context.settlement.isDeferred) return;
    if (this.#credit.onUnsettled(this.#unsettled)) return;
    const count = `${String(this.#unsettled)} messages of ${this.#name}`;
    const message = `${count} are not acknowledged; no more are delivered before`;
    this.#context.report(new ResourceAllocationException(message));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new JMSIllegalStateException("the consumer is closed", "closed");
  }

  #checkReceive(timeout: number): void {
    this.#checkOpen();
    if (this.#listener) throw new JMSIllegalStateException("the consumer has a listener");
    if (Number.isFinite(timeout) && timeout >= 0) return;
    throw new JMSException(`timeout must be a number of milliseconds, not ${String(timeout)}`);
  }
}

function bodyOf(message: Message): string | Uint8Array | Record<string, BodyValue> | null {
  const { getBody } = message as { getBody?: () => ReturnType<typeof bodyOf> };
  if (getBody) return getBody.call(message);
  throw new MessageFormatException("the message has no body, or is a StreamMessage");
}
