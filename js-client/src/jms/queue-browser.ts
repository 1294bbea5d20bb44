import type { Connection } from "./connection.js";
import type { Queue } from "./destinations.js";
import { translated } from "./error-codes.js";
import type { Message } from "./message.js";
import { fromQueueMessage } from "./received.js";

/** Reads messages of a queue and leaves them there; created by `JMSContext.createBrowser`. */
export class QueueBrowser implements AsyncIterable<Message> {
  readonly #connection: Connection;
  readonly #queue: Queue;
  readonly #selector: string | null;
  readonly #max: number | undefined;
  #hasMore = false;

  /** @internal */
  constructor(
    connection: Connection,
    queue: Queue,
    selector: string | null,
    max: number | undefined,
  ) {
    this.#connection = connection;
    this.#queue = queue;
    this.#selector = selector;
    this.#max = max;
  }

  /** Returns the queue. */
  getQueue(): Queue {
    return this.#queue;
  }

  /** Returns the selector; null if there is none. */
  getMessageSelector(): string | null {
    return this.#selector;
  }

  /** Returns whether the queue had more messages than the last enumeration. */
  hasMore(): boolean {
    return this.#hasMore;
  }

  /** Returns the first messages of the queue. Without a connection it waits for one. */
  async getEnumeration(): Promise<readonly Message[]> {
    await this.#connection.ready();
    const { messages, more } = await translated(
      this.#connection.client.queue(this.#queue.getQueueName()).browse({
        ...(this.#selector !== null && { where: this.#selector }),
        ...(this.#max !== undefined && { max: this.#max }),
      }),
    );
    this.#hasMore = more;
    return messages.map((message) => fromQueueMessage(message, this.#queue));
  }

  /** Iterates over the first messages of the queue. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    yield* await this.getEnumeration();
  }

  /** Does nothing: a browser has no resources. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
