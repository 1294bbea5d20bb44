import { check } from "../engine/arguments.js";
import type { Clock } from "../engine/clock.js";
import { untilQuiet } from "./event-queue.js";

/** Clock that only a test advances, for the option `clock` of `connect` and `createTestBroker`. */
export interface TestClock extends Clock {
  /** Number of active timers. */
  readonly pendingTimers: number;
  /**
   * Advances the time and runs the timers that are due, in order. After each of them everything
   * that follows without a timer runs, for example a reconnect.
   *
   * @returns a promise that resolves when the time is reached
   * @throws SluiceError `invalid-argument`
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

class ManualClock implements TestClock {
  readonly #timers = new Set<Timer>();
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    check(Number.isFinite(ms) && ms >= 0, "ms", "a number from 0", ms);
    const end = this.#now + ms;
    await untilQuiet();
    for (let timer = this.#due(end); timer; timer = this.#due(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await untilQuiet();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Returns the earliest timer up to `end`; the first one set of several at the same time. */
  #due(end: number): Timer | undefined {
    let due: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= end && (!due || timer.at < due.at)) due = timer;
    }
    return due;
  }
}

/**
 * Creates a clock whose time changes only when `advance` is called.
 *
 * @param now - Start, milliseconds since 1970; default 2025-11-21T04:40:00Z.
 * @throws SluiceError `invalid-argument`
 */
export function createTestClock(now = 1_763_700_000_000): TestClock {
  check(Number.isSafeInteger(now) && now >= 0, "now", "a whole number from 0", now);
  return new ManualClock(now);
}
