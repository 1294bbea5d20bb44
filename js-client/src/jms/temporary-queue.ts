import { Queue } from "./destinations.js";
import { JMSIllegalStateException, ResourceAllocationException } from "./exceptions.js";
import type { FeedReceiver, OpenFeed } from "./feeds.js";
import type { Received } from "./received.js";

/**
 * Queue that receives the replies to requests. It exists in the context only: the node receives
 * each reply on its reply queue. A request is a message with this queue as JMSReplyTo.
 */
export class TemporaryQueue extends Queue {
  readonly #maxWaiting: number;
  #waiting: Received[] = [];
  #receiver: FeedReceiver | undefined;
  #isDeleted = false;

  /** @internal */
  constructor(name: string, maxWaiting: number) {
    super(name);
    this.#maxWaiting = maxWaiting;
  }

  /** Deletes the queue with its messages. It must not have a consumer. */
  delete(): void {
    if (this.#receiver) throw new JMSIllegalStateException(`${this.toString()} has a consumer`);
    this.#isDeleted = true;
    this.#waiting = [];
  }

  /**
   * Throws unless the queue can receive another reply.
   *
   * @internal
   */
  checkRoom(): void {
    this.#checkExists();
    if (this.#waiting.length < this.#maxWaiting) return;
    const count = `${String(this.#maxWaiting)} replies`;
    throw new ResourceAllocationException(`${count} of ${this.toString()} were not received`);
  }

  /** @internal */
  deliver(received: Received): void {
    if (this.#receiver) this.#receiver.onReceived(received);
    else if (!this.#isDeleted) this.#waiting.push(received);
  }

  /** @internal */
  readonly feed: OpenFeed = (receiver) => {
    this.#checkExists();
    if (this.#receiver) throw new JMSIllegalStateException(`${this.toString()} has a consumer`);
    this.#receiver = receiver;
    for (const received of this.#waiting.splice(0)) receiver.onReceived(received);
    const close = (): Promise<void> => {
      this.#receiver = undefined;
      return Promise.resolve();
    };
    return Promise.resolve({ setCredit: () => undefined, close });
  };

  #checkExists(): void {
    if (this.#isDeleted) throw new JMSIllegalStateException(`${this.toString()} is deleted`);
  }
}
