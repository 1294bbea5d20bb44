/** Time and timers, injectable so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` once, after `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Takes back a timer; a timer that has run is ignored. */
  clearTimeout(timer: unknown): void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => globalThis.setTimeout(run, ms),
  clearTimeout: (timer) => {
    globalThis.clearTimeout(timer as ReturnType<typeof globalThis.setTimeout>);
  },
};

/** How the node's clock stands to ours. */
export interface ClockOffset {
  /** Milliseconds to add to our time to get the node's. */
  readonly offset: number;
  /** The offset is true to within this many milliseconds. */
  readonly uncertainty: number;
}

/** What reckons the age of messages. */
export interface NodeClock {
  /** The node's time by our clock, milliseconds since 1970. */
  now(): number;
  /** That is true to within this many milliseconds. */
  readonly uncertainty: number;
}

const KEPT_SAMPLES = 8;

/**
 * Estimates the clock offset from pings. An answer's time was taken somewhere between sending and
 * receiving, so the quickest of the last few answers says most.
 */
export class ClockEstimate implements NodeClock {
  readonly #clock: Clock;
  #samples: readonly ClockOffset[] = [];
  #best: ClockOffset | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a ping that was sent and answered at these times of ours. */
  add(sentAt: number, receivedAt: number, nodeTime: number): void {
    const roundTrip = Math.max(0, receivedAt - sentAt);
    // Both clocks are read in whole milliseconds, which costs one more of certainty.
    const uncertainty = roundTrip / 2 + 1;
    const sample = { offset: nodeTime - (sentAt + receivedAt) / 2, uncertainty };
    this.#samples = [...this.#samples, sample].slice(-KEPT_SAMPLES);
    this.#best = this.#samples.reduce((best, other) =>
      best.uncertainty <= other.uncertainty ? best : other,
    );
  }

  /** The best estimate, undefined before the first sample. */
  best(): ClockOffset | undefined {
    return this.#best;
  }

  now(): number {
    return this.#clock.now() + (this.#best?.offset ?? 0);
  }

  get uncertainty(): number {
    return this.#best?.uncertainty ?? Infinity;
  }

  /** Forgets the samples; another node has another clock. The estimate stays until the next one. */
  clear(): void {
    this.#samples = [];
  }
}
