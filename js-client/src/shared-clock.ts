import { systemClock, type ClockOffset, type NodeClock } from "./clock.js";

/** The node's clock as a tab knows it: the worker, which reads the same clock, tells the offset. */
export class ToldClock implements NodeClock {
  /** Undefined before the worker's first connection. */
  offset: ClockOffset | undefined;

  now(): number {
    return systemClock.now() + (this.offset?.offset ?? 0);
  }

  get uncertainty(): number {
    return this.offset?.uncertainty ?? Infinity;
  }
}
