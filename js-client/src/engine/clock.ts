/** Source of time and timers, injectable for tests. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Calls `run` once, after `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Cancels a timer; one that has already run is ignored. */
  clearTimeout(timer: unknown): void;
}

/** System clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => {
    clearTimeout(timer as ReturnType<typeof setTimeout>);
  },
};

/** Estimated offset of the node's clock from the local one. */
export interface ClockOffset {
  /** Milliseconds to add to the local time to get the node's time. */
  readonly offset: number;
  /** Maximum error of the offset, in milliseconds. */
  readonly uncertainty: number;
}

/** Node time, from which the age of messages is computed. */
export interface NodeClock {
  /** Returns the estimated node time, milliseconds since 1970. */
  now(): number;
  /** Maximum error of the estimate, in milliseconds. */
  readonly uncertainty: number;
}

const MAX_SAMPLES = 8;

/**
 * Estimates the clock offset from pings. The node reads its clock between the ping and its answer,
 * so the sample with the shortest round trip is the most accurate one.
 */
export class ClockEstimate implements NodeClock {
  readonly #clock: Clock;
  #samples: readonly ClockOffset[] = [];
  #best: ClockOffset | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a sample: the local times of a ping and its answer, and the node's time in the answer. */
  add(sentAt: number, receivedAt: number, nodeTime: number): void {
    const roundTrip = Math.max(0, receivedAt - sentAt);
    // Both clocks are read in whole milliseconds, which adds one millisecond of error.
    const uncertainty = roundTrip / 2 + 1;
    const sample = { offset: nodeTime - (sentAt + receivedAt) / 2, uncertainty };
    this.#samples = [...this.#samples, sample].slice(-MAX_SAMPLES);
    this.#best = this.#samples.reduce((best, other) =>
      best.uncertainty <= other.uncertainty ? best : other,
    );
  }

  /** Returns the best estimate; undefined before the first sample. */
  best(): ClockOffset | undefined {
    return this.#best;
  }

  now(): number {
    return this.#clock.now() + (this.#best?.offset ?? 0);
  }

  get uncertainty(): number {
    return this.#best?.uncertainty ?? Infinity;
  }

  /**
   * Discards the samples, as another node has another clock. The estimate remains until the next
   * sample.
   */
  clear(): void {
    this.#samples = [];
  }
}
