import type { ClockEstimate } from "./clock.js";
import type { Link } from "../transport/link.js";
import type { Settings } from "./options.js";

// Part of the credential's remaining lifetime after which it is refreshed. It is random, which
// spreads the refreshes of clients that connected together.
const EARLIEST = 0.75;
const LATEST = 0.85;
// Minimum delay, as short-lived credentials must not cause a loop.
const MIN_WAIT_MS = 1_000;
// Unbounded exponential backoff limits the attempts per lifetime: a node permanently closes a
// client that causes too many errors.
const RETRY = { min: 1_000, max: Infinity };
// Timers are limited to 31 bits; a longer delay would fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Refresh of a session's credential before it expires. The module is loaded only if the credential
 * expires. If every attempt fails, the node closes the connection, and the next one starts with a
 * fresh credential.
 */
export class TokenRefresh {
  readonly #link: Link;
  readonly #settings: Settings;
  readonly #nodeClock: ClockEstimate;
  readonly #requestToken: () => Promise<string>;
  #expires = 0;
  #failures = 0;
  /** Number of the unanswered refresh. */
  #ref: number | undefined;
  #timer: unknown;
  #isStopped = false;
  #unsentToken: string | undefined;

  /**
   * @param expires - Expiry of the session's credential in node time.
   * @param requestToken - Returns a fresh credential; rejects after the failure was reported.
   */
  constructor(
    link: Link,
    settings: Settings,
    nodeClock: ClockEstimate,
    expires: number,
    requestToken: () => Promise<string>,
  ) {
    this.#link = link;
    this.#settings = settings;
    this.#nodeClock = nodeClock;
    this.#requestToken = requestToken;
    this.#scheduleRefresh(expires);
  }

  /**
   * Fresh credential that the link could not send; the link's next session has to start with it.
   */
  get unsentToken(): string | undefined {
    return this.#unsentToken;
  }

  /** Handles the confirmation of a refresh. */
  onRefreshed(ref: number | undefined, expires: number | undefined): void {
    if (ref !== this.#ref || ref === undefined) return;
    this.#ref = undefined;
    this.#failures = 0;
    if (typeof expires === "number") this.#scheduleRefresh(expires);
  }

  /** Handles an error of the node. */
  onError(ref: number | undefined): void {
    if (ref !== this.#ref || ref === undefined) return;
    this.#ref = undefined;
    this.#retry();
  }

  /** Stops at the end of the session. */
  stop(): void {
    this.#isStopped = true;
    this.#settings.clock.clearTimeout(this.#timer);
  }

  #scheduleRefresh(expires: number): void {
    this.#expires = expires;
    const part = EARLIEST + (LATEST - EARLIEST) * this.#settings.random();
    this.#wait(Math.max(MIN_WAIT_MS, (expires - this.#nodeClock.now()) * part));
  }

  #retry(): void {
    if (this.#isStopped) return;
    const wait = this.#settings.backoff(++this.#failures, RETRY);
    if (this.#nodeClock.now() + wait < this.#expires) this.#wait(wait);
  }

  #wait(ms: number): void {
    const { clock } = this.#settings;
    const now = Math.min(ms, MAX_TIMER_MS);
    const due = clock.now() + ms;
    this.#timer = clock.setTimeout(() => {
      // A suspended machine runs timers late; its clock may also be set back.
      const left = Math.min(ms - now, due - clock.now());
      if (left > 0) this.#wait(left);
      else void this.#refresh();
    }, now);
  }

  async #refresh(): Promise<void> {
    let token: string;
    try {
      token = await this.#requestToken();
    } catch {
      this.#retry();
      return;
    }
    if (this.#isStopped) return;
    this.#ref = this.#link.nextRef();
    if (!this.#link.send(encodeRefresh(this.#ref, token))) this.#unsentToken = token;
  }
}

/** Encodes a refresh frame. */
export function encodeRefresh(ref: number, token: string): string {
  return JSON.stringify({ type: "refresh", ref, token });
}
