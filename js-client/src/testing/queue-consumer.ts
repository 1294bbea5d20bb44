import { encodeDelivery } from "./encode-delivery.js";
import { badFrame, FrameError } from "./frame-error.js";
import type { BrokerQueue, QueuedMessage, QueueReader } from "./broker-queue.js";
import type { FrameData } from "./memory-socket.js";
import { isSelected, type Selector } from "./selector-type.js";
import type { StoredMessage } from "./stored-message.js";

/** Connection of a consumer. */
export interface ConsumerHost {
  readonly isBinary: boolean;
  sendFrame(frame: object): void;
  sendData(data: FrameData): void;
}

/** Members of a `consume`. */
export interface ConsumerOptions {
  readonly credit: number;
  /** Selector of a consumer of a queue. */
  readonly selector: Selector | undefined;
  /** Deliveries contain their topic. */
  readonly isPattern: boolean;
  /** The loss of the broker is always reported, because messages may be missing. */
  readonly isShared: boolean;
}

/** Consumer of a queue: PROTOCOL.md, section 12. */
export class QueueConsumer implements QueueReader {
  readonly queue: BrokerQueue;
  readonly #host: ConsumerHost;
  readonly #ref: number;
  readonly #options: ConsumerOptions;
  readonly #pending = new Map<number, QueuedMessage>();
  /** Released messages, which return when nothing else is pending. */
  #released: QueuedMessage[] = [];
  #credit: number;
  #lastTag = 0;

  constructor(host: ConsumerHost, ref: number, queue: BrokerQueue, options: ConsumerOptions) {
    this.#host = host;
    this.#ref = ref;
    this.queue = queue;
    this.#options = options;
    this.#credit = options.credit;
  }

  get pendingCount(): number {
    return this.#pending.size + this.#released.length;
  }

  selects(message: StoredMessage): boolean {
    return isSelected(this.#options.selector, message);
  }

  canTake(): boolean {
    return this.#pending.size < this.#credit && this.#released.length === 0;
  }

  take(queued: QueuedMessage): void {
    const tag = ++this.#lastTag;
    this.#pending.set(tag, queued);
    const topic = this.#options.isPattern ? queued.message.destination.topic : undefined;
    const placement = { ref: this.#ref, tag, topic, redelivered: queued.attempts > 0 };
    this.#host.sendData(encodeDelivery(queued.message, placement, this.#host.isBinary));
  }

  takeBack(reason: string): readonly QueuedMessage[] {
    const returned = this.#removeAll();
    const isNews = returned.length > 0 || (this.#options.isShared && reason === "broker-lost");
    if (isNews) this.#host.sendFrame({ type: "released", ref: this.#ref, reason });
    return returned;
  }

  setCredit(credit: number): void {
    this.#credit = credit;
    this.queue.dispatch();
  }

  /** Ends the consumer; its messages return to the queue. */
  close(): void {
    this.queue.detach(this);
    this.queue.restore(this.#removeAll());
  }

  /** Returns a pending message. */
  pending(tag: number): StoredMessage {
    const queued = this.#pending.get(tag);
    if (!queued) throw new FrameError("not-pending", `tag ${String(tag)} is not pending`);
    return queued.message;
  }

  /**
   * Settles a message, or all pending ones up to it.
   *
   * @returns a function that makes room for further deliveries, which follow the answer
   */
  settle(how: string, tag: number, isUpTo: boolean): () => void {
    return this.settleAll(how, this.tagsOf(tag, isUpTo));
  }

  /** Returns the tag of a pending message, or of all up to it; throws if there is none. */
  tagsOf(tag: number, isUpTo: boolean): readonly number[] {
    const tags = [...this.#pending.keys()].filter((each) => (isUpTo ? each <= tag : each === tag));
    if (tags.length === 0) this.pending(tag);
    return tags;
  }

  /** Settles the messages with these tags; see {@link settle}. */
  settleAll(how: string, tags: readonly number[]): () => void {
    for (const each of tags) this.#settleOne(how, each);
    return () => {
      if (this.#pending.size === 0) this.queue.restore(this.#released.splice(0));
      else this.queue.dispatch();
    };
  }

  /** Returns all messages to the queue, because a settlement has failed. */
  reset(): void {
    this.queue.restore(this.takeBack("broker-lost"));
  }

  #settleOne(how: string, tag: number): void {
    const queued = this.#pending.get(tag);
    this.#pending.delete(tag);
    if (!queued) return;
    if (how === "release") this.#released.push(queued);
    if (how === "reject") this.queue.bury(queued.message);
  }

  #removeAll(): QueuedMessage[] {
    const all = [...this.#pending.values(), ...this.#released];
    this.#pending.clear();
    this.#released = [];
    return all;
  }
}

/** Returns a credit; throws if it is not valid. */
export function toCredit(value: unknown): number {
  if (value === undefined) return 1;
  if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CREDIT) {
    return Number(value);
  }
  throw badFrame("credit", `a whole number from 0 to ${String(MAX_CREDIT)}`);
}

const MAX_CREDIT = 1_000;
