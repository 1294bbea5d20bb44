import { Entry } from "./entry.js";
import { badRedirect } from "./errors.js";
import { firstMoveState, nextMoveState, type MoveEvent, type MoveState } from "./move-state.js";
import type { MoveHost } from "./move-host.js";
import { Race } from "./race.js";

// How long the other node may take to answer all subscriptions.
const ANSWERS_MS = 15_000;
// Between two looks at what has become of subscriptions and publishes.
const LOOK_MS = 20;
// Timers take 31 bits.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The way from one node to another with no moment without a connection: PROTOCOL.md, section 4. A
 * page that is never sent away does not load this.
 *
 * A second link asks for everything while the first goes on as before. When all is answered, and so
 * is what was published by the first, the client goes on with the second. A try that fails costs
 * nothing; there is another one until the deadline, or none without a deadline.
 */
export class Move {
  readonly #host: MoveHost;
  #state: MoveState = firstMoveState;
  #target: string | undefined;
  /** A node has named an address; one is enough for each move. */
  #isRedirected: boolean;
  /** Addresses of the application to try, in order. */
  readonly #own: readonly string[];
  /** Tries at these. */
  #ownTries = 0;
  /** For the next try, or its end. */
  #timer: unknown;
  #lookTimer: unknown;
  readonly #deadlineTimer: unknown;
  /** By the client's clock. */
  readonly #deadline: number;

  constructor(host: MoveHost) {
    this.#host = host;
    this.#target = host.target;
    this.#isRedirected = host.target !== undefined;
    const { left, settings } = host;
    const { clock, urls } = settings;
    // A load balancer's address may lead to another node; one of several leads to the same.
    const others = urls.filter((url) => left !== undefined || url !== host.url);
    this.#own = others.length > 0 ? others : urls;
    this.#deadline = clock.now() + (left ?? Infinity);
    if (left !== undefined) {
      const ms = Math.min(Math.max(0, left), MAX_TIMER_MS);
      this.#deadlineTimer = clock.setTimeout(() => {
        host.listener.onEnd({ code: 4100, reason: "draining" }, 0);
      }, ms);
    }
    if (this.#isBound) this.#wait(0, 0);
    else this.#tryIn(settings.staleTimeout * (1 + settings.random()));
  }

  /** Everything is answered there, and not yet here: nothing more is to be published here. */
  get isSettling(): boolean {
    return this.#state.status === "settling";
  }

  /** Whether it may be replaced because the node is stale, again. */
  get isIdle(): boolean {
    return this.#state.status === "over" || !this.#isBound;
  }

  /** The old link has ended; returns whether the client has gone on with the new one. */
  hurry(): boolean {
    const state = this.#state;
    if (state.status !== "asking" && state.status !== "settling") return false;
    this.#enter(state.entry);
    return true;
  }

  /** The client needs no other link. */
  stop(): void {
    this.#leaveEntry({ type: "ended" });
    this.#clearTimers();
  }

  #wait(failures: number, retryAfterMs: number): void {
    const { settings } = this.#host;
    const all = this.#host.failures + failures;
    const ms = all === 0 ? 0 : settings.backoff(all);
    // Whoever wants to be left alone may be the only one there is.
    const patience = (this.#deadline - settings.clock.now()) / 2;
    this.#tryIn(Math.max(ms, Math.min(retryAfterMs, patience, MAX_TIMER_MS)));
  }

  #tryIn(ms: number): void {
    this.#startTimer(ms, () => {
      if (!this.#isNeeded) {
        this.stop();
        return;
      }
      const url = this.#nextUrl;
      if (this.#target === undefined) this.#ownTries++;
      this.#target = undefined;
      this.#dial(url);
    });
  }

  get #nextUrl(): string {
    return this.#target ?? this.#own[this.#ownTries % this.#own.length] ?? "";
  }

  /** The node has asked for it: it stops, or has named an address. */
  get #isBound(): boolean {
    return this.#host.left !== undefined || this.#isRedirected;
  }

  get #isNeeded(): boolean {
    return this.#isBound || this.#host.isStale();
  }

  #dial(url: string): void {
    let entry: Entry;
    try {
      entry = this.#createEntry(url);
    } catch (cause) {
      const { settings } = this.#host;
      if (!settings.urls.includes(url)) this.#host.report(badRedirect(url, cause));
      this.#fail();
      return;
    }
    this.#state = nextMoveState(this.#state, { type: "dialled", entry });
    this.#startTimer(this.#host.settings.connectTimeout, () => {
      entry.link.giveUp("no hello from the node in time");
    });
  }

  #createEntry(url: string): Entry {
    const way = { url, isRedirected: this.#isRedirected };
    const entry: Entry = new Entry(this.#host, way, {
      onOpen: () => {
        this.#apply({ type: "opened" });
      },
      onHello: () => {
        this.#apply({ type: "hello" });
        this.#startTimer(ANSWERS_MS, () => {
          entry.link.giveUp("no answers from the node in time");
        });
        this.#look();
      },
      onAnswers: () => {
        this.#look();
      },
      onRedirect: (target) => {
        this.#follow(entry, target);
      },
      onEnd: (_, retryAfterMs) => {
        // It is asked for by one address, and another one may be next.
        this.#fail(url === this.#nextUrl ? retryAfterMs : 0);
      },
    });
    return entry;
  }

  /** The node that was asked sends the client on. */
  #follow(entry: Entry, url: string): void {
    if (this.#isRedirected) return;
    // Also where it must not go: the node would only name that place again.
    this.#isRedirected = true;
    const target = this.#host.toTarget(url, entry.url);
    if (target === undefined) return;
    entry.link.abandon();
    this.#dial(target);
  }

  /** Goes on as far as it can. */
  #look(): void {
    const state = this.#state;
    if (state.status !== "asking" && state.status !== "settling") return;
    const { entry } = state;
    const isReady = entry.ask();
    if (!this.#isNeeded) {
      this.stop();
      return;
    }
    const mayStay = this.#host.left === undefined;
    if (entry.isPointless || (mayStay && (entry.isRefused || entry.isStale))) {
      this.#fail();
      return;
    }
    this.#apply({ type: "looked", isReady });
    const isSettled = (this.#host.publishes()?.unanswered ?? 0) === 0;
    if (isSettled && (isReady || entry.isFull)) this.#enter(entry);
    else if (entry.isFull) this.#fail();
    else this.#lookAgain();
  }

  #lookAgain(): void {
    const { clock } = this.#host.settings;
    clock.clearTimeout(this.#lookTimer);
    this.#lookTimer = clock.setTimeout(() => {
      this.#look();
    }, LOOK_MS);
  }

  #enter(entry: Entry): void {
    this.#state = { status: "over" };
    this.#clearTimers();
    this.#host.onEntered(entry);
  }

  #fail(retryAfterMs = 0): void {
    this.#leaveEntry({ type: "failed" });
    if (this.#state.status !== "waiting") return;
    // One redirect is one try; the next ones are for a stale node's own sake.
    if (this.#host.left === undefined) this.#isRedirected = false;
    if (this.#isNeeded) this.#wait(this.#state.failures, retryAfterMs);
    else this.stop();
  }

  #leaveEntry(event: MoveEvent): void {
    const state = this.#state;
    this.#apply(event);
    if ("entry" in state) state.entry.link.abandon();
  }

  #apply(event: MoveEvent): void {
    const wasSettling = this.isSettling;
    this.#state = nextMoveState(this.#state, event);
    if (wasSettling) this.#host.publishes()?.flush();
  }

  #startTimer(ms: number, run: () => void): void {
    const { clock } = this.#host.settings;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(run, ms);
  }

  #clearTimers(): void {
    const { clock } = this.#host.settings;
    for (const timer of [this.#timer, this.#lookTimer, this.#deadlineTimer]) {
      clock.clearTimeout(timer);
    }
  }
}

/**
 * Begins a move, or a race where the link is still being opened.
 *
 * @param current - What was begun before on the same link.
 */
export function startMove(current: Move | Race | undefined, host: MoveHost): Move | Race {
  const isBound = host.target !== undefined || host.left !== undefined;
  if (current && !isBound && !current.isIdle) return current;
  current?.stop();
  return host.hasHello ? new Move(host) : new Race(host);
}
