import { encodeDelivery } from "./encode.js";
import { badFrame, FrameError } from "./frame-error.js";
import type { BrokerQueue, QueuedMessage, QueueReader } from "./broker-queue.js";
import type { FrameData } from "./memory-socket.js";
import type { StoredMessage } from "./stored-message.js";

/** Connection of a consumer. */
export interface ConsumerHost {
  readonly isBinary: boolean;
  sendFrame(frame: object): void;
  sendData(data: FrameData): void;
}

/** Consumer of a queue: PROTOCOL.md, section 12. */
export class QueueConsumer implements QueueReader {
  readonly queue: BrokerQueue;
  readonly #host: ConsumerHost;
  readonly #ref: number;
  readonly #pending = new Map<number, QueuedMessage>();
  /** Released messages, which return when nothing else is pending. */
  #released: QueuedMessage[] = [];
  #credit: number;
  #lastTag = 0;

  constructor(host: ConsumerHost, ref: number, queue: BrokerQueue, credit: number) {
    this.#host = host;
    this.#ref = ref;
    this.queue = queue;
    this.#credit = credit;
  }

  canTake(): boolean {
    return this.#pending.size < this.#credit && this.#released.length === 0;
  }

  take(queued: QueuedMessage): void {
    const tag = ++this.#lastTag;
    this.#pending.set(tag, queued);
    const placement = { ref: this.#ref, tag, redelivered: queued.attempts > 0 };
    this.#host.sendData(encodeDelivery(queued.message, placement, this.#host.isBinary));
  }

  takeBack(reason: string): readonly QueuedMessage[] {
    const returned = this.#removeAll();
    const isNews = returned.length > 0;
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
    const tags = [...this.#pending.keys()].filter((each) => (isUpTo ? each <= tag : each === tag));
    if (tags.length === 0) this.pending(tag);
    for (const each of tags) this.#settleOne(how, each);
    return () => {
      if (this.#pending.size === 0) this.queue.restore(this.#released.splice(0));
      else this.queue.dispatch();
    };
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
