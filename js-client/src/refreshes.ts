import type { ClockEstimate } from "./clock.js";
import type { Link } from "./link.js";
import type { Settings } from "./options.js";

// Of the life that is left, when the next credential is asked for: a random part, so that clients
// that came together do not ask together.
const EARLIEST = 0.75;
const LATEST = 0.85;
// A node that gives credentials hardly any life must not be asked in a loop.
const MIN_WAIT_MS = 1_000;
// Doubled with each failure and without another bound, which keeps the tries in one life few: a node
// closes a client that causes too many errors, for good.
const RETRY = { min: 1_000, max: Infinity };
// Timers take 31 bits; a longer wait would be over at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Shows the node a fresh credential before that of a session ends, one after the other. A page whose
 * credentials have no end does not load this. Where it fails until the end, the node closes the
 * connection, and the next one begins with a fresh credential.
 */
export class Refreshes {
  readonly #link: Link;
  readonly #settings: Settings;
  readonly #nodeClock: ClockEstimate;
  readonly #ask: () => Promise<string>;
  #expires = 0;
  #failures = 0;
  /** That of the refresh without an answer. */
  #ref: number | undefined;
  #timer: unknown;
  #isStopped = false;
  #unsaid: string | undefined;

  /**
   * @param expires - When the credential of the session ends, by the node's clock.
   * @param ask - For a fresh one; rejects when the application has been told why there is none.
   */
  constructor(
    link: Link,
    settings: Settings,
    nodeClock: ClockEstimate,
    expires: number,
    ask: () => Promise<string>,
  ) {
    this.#link = link;
    this.#settings = settings;
    this.#nodeClock = nodeClock;
    this.#ask = ask;
    this.#plan(expires);
  }

  /** A fresh credential that the link could not take: its next session has to begin with it. */
  get unsaid(): string | undefined {
    return this.#unsaid;
  }

  /** The node has taken a credential. */
  onRefreshed(ref: number | undefined, expires: number | undefined): void {
    if (ref !== this.#ref || ref === undefined) return;
    this.#ref = undefined;
    this.#failures = 0;
    if (expires !== undefined) this.#plan(expires);
  }

  /** The node has refused something. */
  onError(ref: number | undefined): void {
    if (ref !== this.#ref || ref === undefined) return;
    this.#ref = undefined;
    this.#tryAgain();
  }

  /** The session is over. */
  stop(): void {
    this.#isStopped = true;
    this.#settings.clock.clearTimeout(this.#timer);
  }

  #plan(expires: number): void {
    this.#expires = expires;
    const part = EARLIEST + (LATEST - EARLIEST) * this.#settings.random();
    this.#wait(Math.max(MIN_WAIT_MS, (expires - this.#nodeClock.now()) * part));
  }

  #tryAgain(): void {
    if (this.#isStopped) return;
    const wait = this.#settings.backoff(++this.#failures, RETRY);
    if (this.#nodeClock.now() + wait < this.#expires) this.#wait(wait);
  }

  #wait(ms: number): void {
    const now = Math.min(ms, MAX_TIMER_MS);
    this.#timer = this.#settings.clock.setTimeout(() => {
      if (now < ms) this.#wait(ms - now);
      else void this.#refresh();
    }, now);
  }

  async #refresh(): Promise<void> {
    let token: string;
    try {
      token = await this.#ask();
    } catch {
      this.#tryAgain();
      return;
    }
    if (this.#isStopped) return;
    this.#ref = this.#link.nextRef();
    if (!this.#link.send(encodeRefresh(this.#ref, token))) this.#unsaid = token;
  }
}

/** The frame that shows another credential. */
export function encodeRefresh(ref: number, token: string): string {
  return JSON.stringify({ type: "refresh", ref, token });
}
