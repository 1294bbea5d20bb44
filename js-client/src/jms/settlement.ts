import { toJmsException } from "./error-codes.js";
import { JMSException } from "./exceptions.js";
import type { Received } from "./received.js";

/** Consumer as used by a settlement. */
export interface SettlementOwner {
  /** One of its messages, passed to the application before, is settled. */
  onSettled(): void;
}

/** Treatment of delivered messages in one session mode. */
export interface Settlement {
  /** True if the application settles several messages later. */
  readonly isDeferred: boolean;
  /**
   * Throws if the message cannot be passed to the application now, because the context has pending
   * messages of another consumer.
   */
  check(owner: SettlementOwner, received: Received): void;
  /** The message is passed to the application. */
  onDelivered(owner: SettlementOwner, received: Received): void;
  /**
   * The listener has completed, or `receive` is about to return the message; rejects if it could
   * not be acknowledged.
   */
  onCompleted(owner: SettlementOwner, received: Received): Promise<void>;
  /** The listener has failed. */
  onFailed(owner: SettlementOwner, received: Received): Promise<void>;
  /** Acknowledges all messages that were delivered: `acknowledge` of the context. */
  acknowledge(): Promise<void>;
  /** Returns all delivered messages to their queues: `recover` of the context. */
  recover(): Promise<void>;
}

/** Settles each message after its listener: AUTO_ACKNOWLEDGE and DUPS_OK_ACKNOWLEDGE. */
export class AutoSettlement implements Settlement {
  readonly isDeferred = false;
  readonly #isLazy: boolean;
  readonly #report: (exception: JMSException) => void;
  /** Message of the listener that is running. */
  #current: Received | undefined;

  /** @param isLazy - True: do not wait for the broker. */
  constructor(isLazy: boolean, report: (exception: JMSException) => void) {
    this.#isLazy = isLazy;
    this.#report = report;
  }

  check(): void {
    // Messages are independent.
  }

  onDelivered(_: SettlementOwner, received: Received): void {
    this.#current = received;
  }

  async onCompleted(owner: SettlementOwner, received: Received): Promise<void> {
    const settled = this.#settle("ack", owner, received);
    if (!this.#isLazy) return settled;
    settled.catch((thrown: unknown) => {
      this.#report(toJmsException(thrown));
    });
    return Promise.resolve();
  }

  async onFailed(owner: SettlementOwner, received: Received): Promise<void> {
    await this.#settle("release", owner, received);
  }

  acknowledge(): Promise<void> {
    return Promise.resolve();
  }

  async recover(): Promise<void> {
    const current = this.#current;
    if (!current || current.isSettled) return;
    current.isSettled = true;
    await current.delivery?.release();
  }

  async #settle(how: "ack" | "release", owner: SettlementOwner, received: Received): Promise<void> {
    if (this.#current === received) this.#current = undefined;
    const isSettled = received.isSettled;
    received.isSettled = true;
    try {
      if (!isSettled) await received.delivery?.[how]();
    } finally {
      owner.onSettled();
    }
  }
}
