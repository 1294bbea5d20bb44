import type { Clock, ClockEstimate } from "../engine/clock.js";
import type { Link } from "./link.js";

// Clocks drift by seconds a day.
const CLOCK_REFRESH_MS = 300_000;
// Part of an interval after which an idle link is checked. It is random, which spreads the pings of
// clients that received the same message.
const EARLIEST_PING = 0.8;
// Timeout of a ping that checks a link suspected to be dead.
const PROBE_TIMEOUT_MS = 5_000;
// Timers are limited to 31 bits; a longer one would fire at once.
const MAX_INTERVAL_MS = 2 ** 30;
// A timer that runs this late was suspended: the machine slept, or the page was frozen.
const MAX_TIMER_DELAY_MS = 5_000;

/**
 * Heartbeat of a link. Browsers hide the node's WebSocket pings, so an idle link is checked with a
 * ping frame. If nothing follows it, the link is dead two intervals after the last activity. Pongs
 * feed the clock estimate. An HTTP stream carries no pings from the client, but there the node's
 * pings are visible.
 */
export class Liveness {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #estimate: ClockEstimate;
  readonly #intervalMs: number;
  readonly #pingPart: number;
  #timer: unknown;
  #dueAt = 0;
  #lastActivityAt: number;
  #pingRef = 0;
  #pingAt = 0;
  #isActiveSincePing = true;
  #probing = false;

  constructor(
    link: Link,
    clock: Clock,
    estimate: ClockEstimate,
    intervalMs: number,
    random: () => number,
  ) {
    this.#link = link;
    this.#clock = clock;
    this.#estimate = estimate;
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(1, intervalMs));
    this.#pingPart = EARLIEST_PING + (1 - EARLIEST_PING) * random();
    this.#lastActivityAt = clock.now();
    this.#ping(this.#lastActivityAt);
    // Counts as an answer, because frames may have arrived while this module was being loaded.
    this.#isActiveSincePing = true;
  }

  /** Records that data has arrived from the node. */
  onActivity(): void {
    this.#lastActivityAt = this.#clock.now();
    this.#isActiveSincePing = true;
    this.#probing = false;
  }

  onPong(ref: number | undefined, nodeTime: number): void {
    if (ref === this.#pingRef) this.#estimate.add(this.#pingAt, this.#clock.now(), nodeTime);
  }

  /** Checks a link that may be dead, with a short timeout. */
  probe(): void {
    if (!this.#canProbe) return;
    this.#probing = true;
    this.#ping(this.#clock.now());
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
  }

  #check(): void {
    const now = this.#clock.now();
    if (now - this.#dueAt > MAX_TIMER_DELAY_MS && this.#canProbe) {
      this.probe();
    } else if (!this.#isActiveSincePing && now >= this.#timeoutAt()) {
      this.#link.terminate("heartbeat timeout");
    } else if (this.#isActiveSincePing && now >= this.#nextPingAt()) {
      this.#ping(now);
    } else {
      this.#schedule(now);
    }
  }

  /**
   * Returns whether a ping can be sent: not over an HTTP stream, which only the node's pings check.
   */
  get #canProbe(): boolean {
    return !this.#probing && !this.#link.isTextOnly;
  }

  /** Returns the time at which an unanswered ping means that the link is dead. */
  #timeoutAt(): number {
    if (this.#probing) return this.#pingAt + Math.min(PROBE_TIMEOUT_MS, this.#intervalMs);
    return Math.max(this.#lastActivityAt + 2 * this.#intervalMs, this.#pingAt + this.#intervalMs);
  }

  /** Returns the time of the next ping, if the last one was followed by data. */
  #nextPingAt(): number {
    const wait = this.#intervalMs * this.#pingPart;
    return Math.min(this.#lastActivityAt + wait, this.#pingAt + CLOCK_REFRESH_MS * this.#pingPart);
  }

  #ping(now: number): void {
    this.#pingRef = this.#link.nextRef();
    this.#pingAt = now;
    this.#isActiveSincePing = false;
    this.#schedule(now);
    this.#link.send(encodePing(this.#pingRef));
  }

  #schedule(now: number): void {
    const at = this.#isActiveSincePing ? this.#nextPingAt() : this.#timeoutAt();
    // A clock that is set back must not delay the check for long.
    const wait = Math.min(this.#intervalMs, Math.max(1, at - now));
    this.#dueAt = now + wait;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => {
      this.#check();
    }, wait);
  }
}

/** Encodes a ping frame, which the node answers with a pong. */
export function encodePing(ref: number): string {
  return JSON.stringify({ type: "ping", ref });
}
