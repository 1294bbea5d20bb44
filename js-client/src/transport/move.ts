import { CandidateLink } from "./candidate-link.js";
import { firstMoveState, nextMoveState, type MoveEvent, type MoveState } from "./move-state.js";
import type { MoveHost } from "./move-host.js";
import { Race } from "./race.js";

// Time in which the other node must answer all subscriptions.
const ANSWERS_MS = 15_000;
// Interval between checks of the pending subscriptions and publishes.
const POLL_MS = 20;
// Timers are limited to 31 bits.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Make-before-break move from one node to another: PROTOCOL.md, section 4. The module is loaded on
 * demand.
 *
 * A second link requests all subscriptions while the first one continues. The client adopts the
 * second link when all subscriptions are answered there and all publishes here. A failed attempt
 * has no effect on the first link. It is repeated until the deadline, if there is one.
 */
export class Move {
  readonly #host: MoveHost;
  #state: MoveState = firstMoveState;
  #target: string | undefined;
  /** True if a node has named an address; each move follows only one. */
  #isRedirected: boolean;
  /** Addresses of the application to try, in order. */
  readonly #urls: readonly string[];
  /** Number of attempts at these addresses. */
  #attempts = 0;
  /** Timer of the next attempt or of its timeout. */
  #timer: unknown;
  #pollTimer: unknown;
  readonly #deadlineTimer: unknown;
  /** Deadline by the client's clock. */
  readonly #deadline: number;

  constructor(host: MoveHost) {
    this.#host = host;
    this.#target = host.target;
    this.#isRedirected = host.target !== undefined;
    const { timeLeft, settings } = host;
    const { clock, urls } = settings;
    // A load balancer's address may lead to another node; one of several addresses leads to the
    // same one.
    const others = urls.filter((url) => timeLeft !== undefined || url !== host.url);
    this.#urls = others.length > 0 ? others : urls;
    this.#deadline = clock.now() + (timeLeft ?? Infinity);
    if (timeLeft !== undefined) {
      const ms = Math.min(Math.max(0, timeLeft), MAX_TIMER_MS);
      this.#deadlineTimer = clock.setTimeout(() => {
        host.listener.onEnd({ code: 4100, reason: "draining" }, 0);
      }, ms);
    }
    if (this.#isRequired) this.#scheduleRetry(0, 0);
    else this.#scheduleAttempt(settings.staleTimeout * (1 + settings.random()));
  }

  /** Returns whether new publishes have to wait for the move. */
  get isSettling(): boolean {
    return this.#state.status === "settling";
  }

  /** Returns whether a new move may replace this one when the node is stale again. */
  get isIdle(): boolean {
    return this.#state.status === "ended" || !this.#isRequired;
  }

  /** Handles the end of the old link; returns whether the client has adopted the new one. */
  onLinkEnd(): boolean {
    const state = this.#state;
    if (state.status !== "subscribing" && state.status !== "settling") return false;
    this.#adopt(state.candidate);
    return true;
  }

  /** Cancels the move. */
  stop(): void {
    this.#closeCandidate({ type: "ended" });
    this.#clearTimers();
  }

  #scheduleRetry(failures: number, retryAfterMs: number): void {
    const { settings } = this.#host;
    const all = this.#host.failures + failures;
    const ms = all === 0 ? 0 : settings.backoff(all);
    // Half of the remaining time, as the node that sent the Retry-After may be the only one.
    const maxWait = (this.#deadline - settings.clock.now()) / 2;
    this.#scheduleAttempt(ms + Math.min(retryAfterMs, maxWait));
  }

  #scheduleAttempt(ms: number): void {
    this.#startTimer(ms, () => {
      if (!this.#isNeeded) {
        this.stop();
        return;
      }
      const url = this.#nextUrl;
      if (this.#target === undefined) this.#attempts++;
      this.#target = undefined;
      this.#dial(url);
    });
  }

  get #nextUrl(): string {
    return this.#target ?? this.#urls[this.#attempts % this.#urls.length] ?? "";
  }

  /** Returns whether the node requires the move: it is draining, or has named an address. */
  get #isRequired(): boolean {
    return this.#host.timeLeft !== undefined || this.#isRedirected;
  }

  get #isNeeded(): boolean {
    return this.#isRequired || this.#host.isStale();
  }

  #dial(url: string): void {
    let candidate: CandidateLink;
    try {
      candidate = this.#createCandidate(url);
    } catch (cause) {
      const { settings } = this.#host;
      if (!settings.urls.includes(url)) this.#host.report(url, cause);
      this.#fail();
      return;
    }
    this.#state = nextMoveState(this.#state, { type: "dialled", candidate });
    this.#startTimer(this.#host.settings.connectTimeout, () => {
      candidate.link.terminate("hello timeout");
    });
  }

  #createCandidate(url: string): CandidateLink {
    const endpoint = { url, isRedirected: this.#isRedirected };
    const candidate: CandidateLink = new CandidateLink(this.#host, endpoint, {
      onOpen: () => {
        this.#apply({ type: "opened" });
      },
      onHello: () => {
        this.#apply({ type: "hello" });
        this.#startTimer(ANSWERS_MS, () => {
          candidate.link.terminate("subscribe timeout");
        });
        this.#poll();
      },
      onAnswers: () => {
        this.#poll();
      },
      onRedirect: (target) => {
        this.#follow(candidate, target);
      },
      onEnd: (_, retryAfterMs) => {
        // A Retry-After applies to one address only; the next attempt may use another one.
        this.#fail(url === this.#nextUrl ? retryAfterMs : 0);
      },
    });
    return candidate;
  }

  /** Follows a redirect of the other node. */
  #follow(candidate: CandidateLink, url: string): void {
    if (this.#isRedirected) return;
    // Also if the redirect is not followed: the node would only repeat it.
    this.#isRedirected = true;
    const target = this.#host.redirectTarget(url, candidate.url);
    if (target === undefined) return;
    candidate.link.close();
    this.#dial(target);
  }

  /** Checks the progress and adopts the candidate when possible. */
  #poll(): void {
    const state = this.#state;
    if (state.status !== "subscribing" && state.status !== "settling") return;
    const { candidate } = state;
    const isReady = candidate.update();
    if (!this.#isNeeded) {
      this.stop();
      return;
    }
    const mayStay = this.#host.timeLeft === undefined;
    if (candidate.isCurrentNode || (mayStay && (candidate.isRefused || candidate.isStale))) {
      this.#fail();
      return;
    }
    this.#apply({ type: "polled", isReady });
    const isSettled = (this.#host.messaging()?.unanswered ?? 0) === 0;
    if (isSettled && (isReady || candidate.isFull)) this.#adopt(candidate);
    else if (candidate.isFull) this.#fail();
    else this.#schedulePoll();
  }

  #schedulePoll(): void {
    const { clock } = this.#host.settings;
    clock.clearTimeout(this.#pollTimer);
    this.#pollTimer = clock.setTimeout(() => {
      this.#poll();
    }, POLL_MS);
  }

  #adopt(candidate: CandidateLink): void {
    this.#state = { status: "ended" };
    this.#clearTimers();
    this.#host.adopt(candidate);
  }

  #fail(retryAfterMs = 0): void {
    this.#closeCandidate({ type: "failed" });
    if (this.#state.status !== "waiting") return;
    // A redirect counts as one attempt; the next ones are made because the node is stale.
    if (this.#host.timeLeft === undefined) this.#isRedirected = false;
    if (this.#isNeeded) this.#scheduleRetry(this.#state.failures, retryAfterMs);
    else this.stop();
  }

  #closeCandidate(event: MoveEvent): void {
    const state = this.#state;
    this.#apply(event);
    if ("candidate" in state) state.candidate.link.close();
  }

  #apply(event: MoveEvent): void {
    const wasSettling = this.isSettling;
    this.#state = nextMoveState(this.#state, event);
    if (wasSettling) this.#host.messaging()?.flush();
  }

  #startTimer(ms: number, run: () => void): void {
    const { clock } = this.#host.settings;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(run, ms);
  }

  #clearTimers(): void {
    const { clock } = this.#host.settings;
    for (const timer of [this.#timer, this.#pollTimer, this.#deadlineTimer]) {
      clock.clearTimeout(timer);
    }
  }
}

/**
 * Starts a move, or a race while the link is still being opened.
 *
 * @param current - Move or race of the same link.
 */
export function startMove(current: Move | Race | undefined, host: MoveHost): Move | Race {
  const isRequired = host.target !== undefined || host.timeLeft !== undefined;
  if (current && !isRequired && !current.isIdle) return current;
  current?.stop();
  return host.hasHello ? new Move(host) : new Race(host);
}
