import type { StoredMessage } from "./stored-message.js";

/** Message of a queue and its delivery attempts. */
export interface QueuedMessage {
  readonly message: StoredMessage;
  readonly attempts: number;
}

/** Consumer as used by its queue. */
export interface QueueReader {
  /** Number of pending messages. */
  readonly pendingCount: number;
  /** Returns whether a message can be delivered now. */
  canTake(): boolean;
  /** Returns whether the consumer's selector selects a message. */
  selects(message: StoredMessage): boolean;
  take(queued: QueuedMessage): void;
  /** Returns all pending messages to the queue; they are not pending any more. */
  takeBack(reason: string): readonly QueuedMessage[];
}

/** Queue of the test broker. Its consumers receive messages in turn. */
export class BrokerQueue {
  readonly name: string;
  readonly #maxDeliveries: number;
  readonly #isUp: () => boolean;
  readonly #onDead: (message: StoredMessage) => void;
  #ready: QueuedMessage[] = [];
  #readers: QueueReader[] = [];

  constructor(
    name: string,
    maxDeliveries: number,
    isUp: () => boolean,
    onDead: (message: StoredMessage) => void,
  ) {
    this.name = name;
    this.#maxDeliveries = maxDeliveries;
    this.#isUp = isUp;
    this.#onDead = onDead;
  }

  /** Messages that no consumer has. */
  get ready(): readonly QueuedMessage[] {
    return this.#ready;
  }

  /** Number of consumers. */
  get consumers(): number {
    return this.#readers.length;
  }

  /** Number of messages, including pending ones. */
  get size(): number {
    return this.#readers.reduce((sum, { pendingCount }) => sum + pendingCount, this.#ready.length);
  }

  add(message: StoredMessage): void {
    this.#ready.push({ message, attempts: 0 });
    this.dispatch();
  }

  attach(reader: QueueReader): void {
    this.#readers.push(reader);
    this.dispatch();
  }

  detach(reader: QueueReader): void {
    this.#readers = this.#readers.filter((other) => other !== reader);
  }

  /** Removes the messages that no consumer has. */
  purge(): void {
    this.#ready = [];
  }

  /** Takes all pending messages back from the consumers. */
  takeBack(reason: string): void {
    this.restore(this.#readers.flatMap((reader) => reader.takeBack(reason)));
  }

  /** Returns messages to the head of the queue after an attempt. */
  restore(returned: readonly QueuedMessage[]): void {
    const counted = returned.map(({ message, attempts }) => ({ message, attempts: attempts + 1 }));
    const isDead = ({ attempts }: QueuedMessage): boolean => attempts >= this.#maxDeliveries;
    const alive = counted.filter((queued) => !isDead(queued));
    this.#ready = [...alive, ...this.#ready].sort(
      (a, b) => a.message.sequence - b.message.sequence,
    );
    for (const { message } of counted.filter(isDead)) this.bury(message);
    this.dispatch();
  }

  /** Moves a message to the dead-letter queue. */
  bury(message: StoredMessage): void {
    this.#onDead(message);
  }

  /** Delivers messages while a consumer has credit and the broker is available. */
  dispatch(): void {
    while (this.#isUp()) {
      const idle = this.#readers.filter((reader) => reader.canTake());
      const readerOf = ({ message }: QueuedMessage): QueueReader | undefined =>
        idle.find((reader) => reader.selects(message));
      const next = idle.length > 0 ? this.#ready.find(readerOf) : undefined;
      const reader = next && readerOf(next);
      if (!reader) return;
      this.#ready = this.#ready.filter((queued) => queued !== next);
      this.detach(reader);
      this.#readers.push(reader);
      reader.take(next);
    }
  }
}
