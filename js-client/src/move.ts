import { backoff } from "./backoff.js";
import { Entry, type EntryHost } from "./entry.js";
import { firstMoveState, nextMoveState, type MoveEvent, type MoveState } from "./move-state.js";
import type { Publishes } from "./publishes.js";

/** What a move needs of its client, and what it tells it. */
export interface MoveHost extends EntryHost {
  /** What the node has named; undefined is the application's own addresses. */
  readonly target: string | undefined;
  /** In how many milliseconds the node closes the link; undefined if the client may as well stay. */
  readonly left: number | undefined;
  /** Those of the client in a row, if its present session ended now. */
  readonly failures: number;
  /** The address that a node has named; undefined if the client must not go there. */
  toTarget(url: string): string | undefined;
  publishes(): Publishes | undefined;
  /** Has to go on with the link of the entry. */
  onEntered(entry: Entry): void;
}

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
  /** Tries at the application's own addresses. */
  #ownTries = 0;
  /** For the next try, or its end. */
  #timer: unknown;
  #lookTimer: unknown;
  readonly #deadlineTimer: unknown;

  constructor(host: MoveHost) {
    this.#host = host;
    this.#target = host.target;
    const { left, settings } = host;
    if (left !== undefined) {
      const ms = Math.min(Math.max(0, left), MAX_TIMER_MS);
      this.#deadlineTimer = settings.clock.setTimeout(() => {
        host.listener.onEnd({ code: 4100, reason: "draining" }, 0);
      }, ms);
    }
    this.#wait(0, 0);
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
    const ms = all === 0 ? 0 : backoff(all, settings.backoff, settings.random);
    this.#startTimer(Math.max(ms, retryAfterMs), () => {
      this.#dialNext();
    });
  }

  #dialNext(): void {
    const { urls } = this.#host.settings;
    const target = this.#target;
    this.#target = undefined;
    if (target === undefined) this.#dial(urls[this.#ownTries++ % urls.length] ?? "", false);
    else this.#dial(target, true);
  }

  #dial(url: string, isRedirected: boolean): void {
    let entry: Entry;
    try {
      entry = this.#createEntry(url, isRedirected);
    } catch {
      this.#fail(0);
      return;
    }
    this.#state = nextMoveState(this.#state, { type: "dialled", entry });
    this.#startTimer(this.#host.settings.connectTimeout, () => {
      entry.link.giveUp("no hello from the node in time");
    });
  }

  #createEntry(url: string, isRedirected: boolean): Entry {
    const way = { url, isRedirected };
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
        if (!isRedirected) this.#follow(entry, target);
      },
      onEnd: (_, retryAfterMs) => {
        this.#fail(retryAfterMs);
      },
    });
    return entry;
  }

  /** The node that was asked sends the client on. */
  #follow(entry: Entry, url: string): void {
    const target = this.#host.toTarget(url);
    if (target === undefined) return;
    entry.link.abandon();
    this.#dial(target, true);
  }

  /** Goes on as far as it can. */
  #look(): void {
    const state = this.#state;
    if (state.status !== "asking" && state.status !== "settling") return;
    const { entry } = state;
    const isReady = entry.ask();
    if (entry.isPointless || (entry.isRefused && this.#host.left === undefined)) {
      this.#fail(0);
      return;
    }
    this.#apply({ type: "looked", isReady });
    const isSettled = (this.#host.publishes()?.unanswered ?? 0) === 0;
    if (isSettled && (isReady || entry.isFull)) this.#enter(entry);
    else if (entry.isFull) this.#fail(0);
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

  #fail(retryAfterMs: number): void {
    this.#leaveEntry({ type: "failed" });
    if (this.#state.status !== "waiting") return;
    if (this.#host.left === undefined) this.stop();
    else this.#wait(this.#state.failures, retryAfterMs);
  }

  #leaveEntry(event: MoveEvent): void {
    const state = this.#state;
    this.#apply(event);
    if ("entry" in state) state.entry.link.abandon();
  }

  /** While the publishes settle, new ones are held back. */
  #apply(event: MoveEvent): void {
    const was = this.#state.status;
    this.#state = nextMoveState(this.#state, event);
    const { status } = this.#state;
    if (was === status) return;
    if (status === "settling" || was === "settling") {
      this.#host.publishes()?.hold(status === "settling");
    }
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
