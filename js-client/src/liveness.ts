import type { Clock, ClockEstimate } from "./clock.js";
import { encodePing } from "./frames.js";
import type { Link } from "./link.js";

// Clocks drift apart by seconds a day.
const CLOCK_REFRESH_MS = 300_000;
// How long an answer may take where there is reason to think that the link is dead.
const PROBE_MS = 5_000;
// A timer that comes so late was held up: the machine slept, or the page was frozen.
const LATE_MS = 5_000;

/**
 * Watches that a link is alive. A browser does not show the node's WebSocket pings, so silence is
 * answered with a ping frame, and a ping that nothing follows means that the link is dead: two
 * intervals after the last sign of life. The pongs set the clock estimate. By HTTP no ping can be
 * sent while a stream runs, but there the node's own pings are seen.
 */
export class Liveness {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #estimate: ClockEstimate;
  readonly #intervalMs: number;
  #timer: unknown;
  #due = 0;
  #lastHeard: number;
  #pingRef = 0;
  #pingAt = 0;
  #heardSincePing = true;
  #probing = false;

  constructor(link: Link, clock: Clock, estimate: ClockEstimate, intervalMs: number) {
    this.#link = link;
    this.#clock = clock;
    this.#estimate = estimate;
    this.#intervalMs = Math.max(1, intervalMs);
    this.#lastHeard = clock.now();
    this.#ping(this.#lastHeard);
  }

  /** Something came from the node. */
  onActivity(): void {
    this.#lastHeard = this.#clock.now();
    this.#heardSincePing = true;
    this.#probing = false;
  }

  onPong(ref: number | undefined, nodeTime: number): void {
    if (ref === this.#pingRef) this.#estimate.add(this.#pingAt, this.#clock.now(), nodeTime);
  }

  /** There is reason for doubt: the link has to show soon that it is alive. */
  probe(): void {
    if (!this.#mayProbe) return;
    this.#probing = true;
    this.#ping(this.#clock.now());
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
  }

  #check(): void {
    const now = this.#clock.now();
    if (now - this.#due > LATE_MS && this.#mayProbe) {
      this.probe();
    } else if (!this.#heardSincePing && now >= this.#deadAt()) {
      this.#link.giveUp("no sign of life from the node");
    } else if (this.#heardSincePing && now >= this.#nextPingAt()) {
      this.#ping(now);
    } else {
      this.#schedule(now);
    }
  }

  /** A stream cannot be asked: only the node's own pings show that it lives. */
  get #mayProbe(): boolean {
    return !this.#probing && !this.#link.isTextOnly;
  }

  /** When a ping that nothing has followed means that the link is dead. */
  #deadAt(): number {
    if (this.#probing) return this.#pingAt + Math.min(PROBE_MS, this.#intervalMs);
    return Math.max(this.#lastHeard + 2 * this.#intervalMs, this.#pingAt + this.#intervalMs);
  }

  /** When the next ping is due, if something has followed the last one. */
  #nextPingAt(): number {
    return Math.min(this.#lastHeard + this.#intervalMs, this.#pingAt + CLOCK_REFRESH_MS);
  }

  #ping(now: number): void {
    this.#pingRef = this.#link.nextRef();
    this.#pingAt = now;
    this.#heardSincePing = false;
    this.#schedule(now);
    this.#link.send(encodePing(this.#pingRef));
  }

  #schedule(now: number): void {
    const at = this.#heardSincePing ? this.#nextPingAt() : this.#deadAt();
    // A clock that was set back must not put the check off for long.
    const wait = Math.min(this.#intervalMs, Math.max(1, at - now));
    this.#due = now + wait;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => {
      this.#check();
    }, wait);
  }
}
