import type { Clock, ClockEstimate } from "./clock.js";
import { encodePing } from "./frames.js";
import type { Link } from "./link.js";

// Clocks drift apart by seconds a day.
const CLOCK_REFRESH_MS = 300_000;

interface SentPing {
  readonly ref: number;
  readonly at: number;
}

/**
 * Watches that a link is alive. A browser does not show the node's WebSocket pings, so silence is
 * answered with a ping frame, and a ping that nothing follows means that the link is dead. The
 * pongs set the clock estimate.
 */
export class Liveness {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #estimate: ClockEstimate;
  readonly #intervalMs: number;
  #timer: unknown;
  #lastHeard: number;
  #lastPing: SentPing | undefined;
  #heardSincePing = true;
  #stopped = false;

  constructor(link: Link, clock: Clock, estimate: ClockEstimate, intervalMs: number) {
    this.#link = link;
    this.#clock = clock;
    this.#estimate = estimate;
    this.#intervalMs = Math.max(1, intervalMs);
    this.#lastHeard = clock.now();
    this.#ping(this.#lastHeard);
    this.#check();
  }

  /** Something came from the node. */
  onActivity(): void {
    this.#lastHeard = this.#clock.now();
    this.#heardSincePing = true;
  }

  onPong(ref: number | undefined, nodeTime: number): void {
    if (ref === undefined || ref !== this.#lastPing?.ref) return;
    this.#estimate.add(this.#lastPing.at, this.#clock.now(), nodeTime);
  }

  stop(): void {
    this.#stopped = true;
    this.#clock.clearTimeout(this.#timer);
  }

  #check(): void {
    const now = this.#clock.now();
    const sincePing = now - (this.#lastPing?.at ?? -Infinity);
    if (!this.#heardSincePing && sincePing >= this.#intervalMs) {
      this.#link.giveUp("no sign of life from the node");
      return;
    }
    const silent = now - this.#lastHeard >= this.#intervalMs;
    if (this.#heardSincePing && (silent || sincePing >= CLOCK_REFRESH_MS)) this.#ping(now);
    this.#schedule(now);
  }

  #ping(now: number): void {
    this.#lastPing = { ref: this.#link.nextRef(), at: now };
    this.#heardSincePing = false;
    this.#link.send(encodePing(this.#lastPing.ref));
  }

  #schedule(now: number): void {
    if (this.#stopped) return;
    const since = Math.max(this.#lastHeard, this.#lastPing?.at ?? 0);
    // A clock that was set back must not put the check off for long.
    const wait = Math.min(this.#intervalMs, Math.max(1, since + this.#intervalMs - now));
    this.#timer = this.#clock.setTimeout(() => {
      this.#check();
    }, wait);
  }
}
