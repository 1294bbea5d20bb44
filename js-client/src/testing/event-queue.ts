/** Turns without an event after which nothing else is expected to follow. */
const QUIET_TURNS = 64;

let preloading: Promise<unknown> | undefined;
/** Settled when no part of a node is being loaded. */
let loading: Promise<unknown> = Promise.resolve();
/** Number of queues with events. */
let active = 0;

/** Delays {@link untilQuiet} until a module is loaded. */
export function track<Result>(load: Promise<Result>): Promise<Result> {
  loading = Promise.allSettled([loading, load]);
  return load;
}

/** Waits until no in-memory network has had an event for many turns of the microtask queue. */
export async function untilQuiet(): Promise<void> {
  await (preloading ??= import("./client-modules.js").then(({ loadClient }) => loadClient()));
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    const awaited = loading;
    await awaited;
    if (active > 0 || awaited !== loading) quiet = 0;
  }
}

/**
 * Events of an in-memory network. Each runs in its own microtask, in order: no timer is involved,
 * so fake timers don't affect it. An event that returns a promise delays the next ones.
 */
export class EventQueue {
  readonly #events: (() => unknown)[] = [];

  post(event: () => unknown): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    active++;
    this.#schedule();
  }

  #schedule(): void {
    void Promise.resolve().then(() => this.#next());
  }

  /** Runs the first event, which remains queued until its end. */
  async #next(): Promise<void> {
    try {
      const result = this.#events[0]?.();
      if (result instanceof Promise) await result;
    } finally {
      this.#events.shift();
      if (this.#events.length > 0) this.#schedule();
      else active--;
    }
  }
}
