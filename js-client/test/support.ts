import assert from "node:assert/strict";
import type { Clock } from "../src/engine/clock.js";
import { SluiceError } from "../src/engine/errors.js";

/** Returns a check for assert.throws and assert.rejects: a SluiceError with this code. */
export function isSluiceError(code: string): (thrown: unknown) => true {
  return (thrown) => {
    assert.ok(thrown instanceof SluiceError, String(thrown));
    assert.equal(thrown.code, code, thrown.message);
    return true;
  };
}

/** Returns random numbers from a seed (mulberry32): that of the environment, or a new one. */
export function randomFrom(): { readonly random: () => number; readonly seed: number } {
  const seed = Number(process.env["SLUICE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { random, seed };
}

/** System clock that a test can advance: timers that come due run at once. */
export class LeapingClock implements Clock {
  readonly #due = new Map<object, { at: number; ms: number; run: () => void }>();
  readonly #heldMs: number;
  #ahead = 0;

  /**
   * @param heldMs - Timers of at least this length run only when a test moves the time on, so that
   * no timeout ends because the machine is slow.
   */
  constructor(heldMs = Infinity) {
    this.#heldMs = heldMs;
  }

  now(): number {
    return Date.now() + this.#ahead;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer: object =
      ms < this.#heldMs
        ? setTimeout(() => {
            this.#run(timer);
          }, ms)
        : {};
    this.#due.set(timer, { at: this.now() + ms, ms, run });
    return timer;
  }

  clearTimeout(timer: unknown): void {
    clearTimeout(timer as NodeJS.Timeout);
    this.#due.delete(timer as object);
  }

  /** Returns whether a timer of this length is set. */
  hasTimer(ms: number): boolean {
    return [...this.#due.values()].some((due) => due.ms === ms);
  }

  leap(ms: number): void {
    this.#ahead += ms;
    for (const [timer, { at }] of [...this.#due]) {
      if (at <= this.now()) this.#run(timer);
    }
  }

  #run(timer: object): void {
    const due = this.#due.get(timer);
    this.clearTimeout(timer);
    due?.run();
  }
}

/** Waits until a condition holds; fails after a minute with its description. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
