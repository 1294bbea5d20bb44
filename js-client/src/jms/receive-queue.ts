import { JMSException } from "./exceptions.js";
import type { Received } from "./received.js";

/** Timers, as in `setTimeout`. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Call of `receive` that waits for a message. */
interface Waiter {
  readonly timer: unknown;
  readonly resolve: (received: Received | undefined) => void;
  readonly reject: (exception: JMSException) => void;
}

/** Messages that wait for the application, and calls of `receive` that wait for messages. */
export class ReceiveQueue {
  readonly #timers: Timers;
  readonly #check: (received: Received) => void;
  readonly #messages: Received[] = [];
  readonly #waiters: Waiter[] = [];

  /** @param check - Throws if the message cannot be passed to the application now. */
  constructor(timers: Timers, check: (received: Received) => void) {
    this.#timers = timers;
    this.#check = check;
  }

  /** Number of messages. */
  get size(): number {
    return this.#messages.length;
  }

  add(received: Received): void {
    this.#messages.push(received);
  }

  /** Drops the oldest message. */
  drop(): void {
    this.#messages.shift();
  }

  /** Returns the oldest message that is still pending. */
  peek(): Received | undefined {
    while (this.#messages[0]?.isTakenBack === true) this.#messages.shift();
    return this.#messages[0];
  }

  /** Removes and returns the oldest message; throws if it cannot be passed on now. */
  take(): Received | undefined {
    const received = this.peek();
    if (!received) return undefined;
    this.#check(received);
    this.#messages.shift();
    return received;
  }

  /** Waits for a message; undefined after `timeout` milliseconds, or when the queue is closed. */
  wait(timeout: number): Promise<Received | undefined> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        resolve(undefined);
      };
      const timer = timeout > 0 ? this.#timers.setTimeout(end, timeout) : undefined;
      const waiter = { timer, resolve, reject };
      this.#waiters.push(waiter);
    });
  }

  /** Serves waiting calls. */
  serve(): void {
    while (this.#waiters.length > 0 && this.peek()) {
      const waiter = this.#waiters.shift();
      this.#timers.clearTimeout(waiter?.timer);
      try {
        waiter?.resolve(this.take());
      } catch (thrown) {
        waiter?.reject(thrown as JMSException);
      }
    }
  }

  /** Drops all messages and ends all waiting calls. */
  close(): void {
    this.#messages.length = 0;
    for (const { timer, resolve } of this.#waiters.splice(0)) {
      this.#timers.clearTimeout(timer);
      resolve(undefined);
    }
  }
}
