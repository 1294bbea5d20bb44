import { systemClock, type ClockOffset, type NodeClock } from "../engine/clock.js";

/** Node clock of a tab. The worker, which has the same system clock, sends the offset. */
export class MirroredClock implements NodeClock {
  /** Undefined before the worker's first connection. */
  offset: ClockOffset | undefined;

  now(): number {
    return systemClock.now() + (this.offset?.offset ?? 0);
  }

  get uncertainty(): number {
    return this.offset?.uncertainty ?? Infinity;
  }
}
