import { JMSIllegalStateException } from "./exceptions.js";

/** Consumer with a listener. */
export interface Dispatchable {
  /** True if a message can be passed to the listener now. */
  readonly canDispatch: boolean;
  /** Passes one message to the listener; resolves when the message is handled. Never rejects. */
  dispatch(): Promise<void>;
}

/** Calls the listeners of a context one after the other, in turn, while the context is started. */
export class Dispatcher {
  readonly #members = new Set<Dispatchable>();
  #isStarted = false;
  #isCalling = false;
  #running: Promise<void> | undefined;

  get isStarted(): boolean {
    return this.#isStarted;
  }

  add(member: Dispatchable): void {
    this.#members.add(member);
    this.wake();
  }

  remove(member: Dispatchable): void {
    this.#members.delete(member);
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Stops; resolves when the listener that is running has completed. */
  async stop(): Promise<void> {
    this.checkNotInListener();
    this.#isStarted = false;
    await this.#running;
  }

  /** Dispatches what can be dispatched. */
  wake(): void {
    if (!this.#isStarted || this.#running) return;
    this.#running = this.#run();
  }

  /** Calls a listener and awaits its result. */
  async call(listener: () => unknown): Promise<void> {
    let result: unknown;
    this.#isCalling = true;
    try {
      result = listener();
    } finally {
      this.#isCalling = false;
    }
    await result;
  }

  /** Throws if a listener has made the call, which would wait for itself. */
  checkNotInListener(): void {
    if (!this.#isCalling) return;
    throw new JMSIllegalStateException("a listener must not stop or close its context");
  }

  async #run(): Promise<void> {
    // The caller completes first, for example the creation of its consumer.
    await Promise.resolve();
    for (let next = this.#next(); next; next = this.#next()) {
      // To the end of the order.
      this.#members.delete(next);
      this.#members.add(next);
      await next.dispatch();
    }
    this.#running = undefined;
  }

  #next(): Dispatchable | undefined {
    if (!this.#isStarted) return undefined;
    return [...this.#members].find(({ canDispatch }) => canDispatch);
  }
}
