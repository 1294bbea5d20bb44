import type { Clock } from "../src/engine/clock.js";

/** Clock that a test advances. */
export class HandClock implements Clock {
  #now = 1_000_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Advances the time before running the timers that came due, late. */
  sleep(ms: number): void {
    this.#now += ms;
    this.pass(0);
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#now = Math.max(this.#now, due.at);
      this.clearTimeout(due);
      due.run();
    }
    this.#now = until;
  }
}
