/** Turns without an event after which nothing else is expected to follow. */
const QUIET_TURNS = 64;

let loading: Promise<unknown> | undefined;

/**
 * Loads the client's modules that are otherwise loaded on demand. After that, everything that a
 * client does without a timer takes only turns of the microtask queue.
 */
function loadModules(): Promise<unknown> {
  return (loading ??= Promise.all([
    import("../messaging.js"),
    import("../queues.js"),
    import("../move.js"),
    import("../token-refresh.js"),
    import("../messages.js"),
  ]));
}

/** Waits until `isIdle` has held for many turns of the microtask queue. */
export async function untilQuiet(isIdle: () => boolean): Promise<void> {
  await loadModules();
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await Promise.resolve();
    if (!isIdle()) quiet = 0;
  }
}

/**
 * Events of an in-memory network. Each runs in its own microtask, in order: no timer is involved,
 * so fake timers don't affect it.
 */
export class EventQueue {
  readonly #events: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  post(event: () => void): void {
    this.#events.push(event);
    if (this.#events.length === 1) this.#schedule();
  }

  #schedule(): void {
    void Promise.resolve().then(() => {
      this.#next();
    });
  }

  /** Runs the first event, which remains queued until its end. */
  #next(): void {
    try {
      this.#events[0]?.();
    } finally {
      this.#events.shift();
      if (!this.isEmpty) this.#schedule();
    }
  }
}
