import type { ClockEstimate } from "./clock.js";
import type { Hello, NodeFrame } from "./frames.js";
import type { Link } from "./link.js";
import { Liveness } from "./liveness.js";
import type { Messaging } from "./messaging.js";
import type { Settings } from "./options.js";
import type { SubscriptionState } from "./subscription-state.js";
import type { Subscriptions } from "./subscriptions.js";
import { TokenRefresh } from "./token-refresh.js";

// One file for all that a client needs after its first session or failure.
export { watchClient } from "./client-watch.js";

// Refusals by a quota or for the moment; others last until another session or credential.
const TRANSIENT = [
  "rate-limited",
  "broker-unavailable",
  "too-many-topics",
  "too-many-subscriptions",
];
const RETRY = { min: 1_000, max: 60_000 };

function isRefused({ status }: SubscriptionState): boolean {
  return status === "refused";
}

function isTransient(state: SubscriptionState): boolean {
  return state.status === "refused" && TRANSIENT.includes(state.error.code);
}

/** Heartbeat, credential refresh and repeated requests of one session. */
export class SessionWatch {
  readonly #liveness: Liveness;
  /** Undefined if the credential does not expire or cannot be renewed. */
  readonly #refresh: TokenRefresh | undefined;
  readonly #settings: Settings;
  readonly #subscriptions: Pick<Subscriptions, "all">;
  readonly #messaging: () => Pick<Messaging, "onCredential"> | undefined;
  /** Timer of the next request of refused subscriptions. */
  #retryTimer: unknown;
  #retries = 0;

  /** @param requestToken - Returns a fresh credential; rejects after the failure was reported. */
  constructor(
    link: Link,
    settings: Settings,
    estimate: ClockEstimate,
    { expires, pingInterval }: Hello,
    subscriptions: Pick<Subscriptions, "all">,
    requestToken: () => Promise<string>,
    messaging: () => Pick<Messaging, "onCredential"> | undefined,
  ) {
    const { clock, random, token } = settings;
    this.#settings = settings;
    this.#subscriptions = subscriptions;
    this.#messaging = messaging;
    this.#liveness = new Liveness(link, clock, estimate, pingInterval, random);
    // The core does not check it: a session without renewal is better than none.
    if (typeof token === "function" && typeof expires === "number") {
      this.#refresh = new TokenRefresh(link, settings, estimate, expires, requestToken);
    }
  }

  /**
   * Returns a fresh credential that the link could not send. Refused subscriptions are requested
   * with it.
   */
  takeToken(): string | undefined {
    const token = this.#refresh?.unsentToken;
    if (token !== undefined) this.resetRefused();
    return token;
  }

  /** Resets refused subscriptions; they are requested on the next link. */
  resetRefused(): void {
    for (const subscription of this.#subscriptions.all) subscription.reset();
  }

  /** Records that data has arrived from the node. */
  onActivity(): void {
    this.#liveness.onActivity();
  }

  /** Handles an answer to a ping or a refresh. */
  onFrame(frame: Extract<NodeFrame, { readonly type: "pong" | "refreshed" }>): void {
    if (frame.type === "pong") this.#liveness.onPong(frame.ref, frame.time);
    else {
      this.#refresh?.onRefreshed(frame.ref, (frame as Partial<Hello>).expires);
      this.#renewRefused();
      this.#messaging()?.onCredential();
    }
  }

  /** Handles an error of the node. */
  onError(ref: number | undefined): void {
    this.#refresh?.onError(ref);
  }

  /** Requests subscriptions later again that were refused by a quota or for the moment. */
  onRefused(): void {
    const isRefused = this.#subscriptions.all.some(({ state }) => isTransient(state));
    if (this.#retryTimer !== undefined || !isRefused) return;
    const { backoff, clock } = this.#settings;
    this.#retryTimer = clock.setTimeout(
      () => {
        this.#retryTimer = undefined;
        this.#renewRefused(isTransient);
      },
      backoff(++this.#retries, RETRY),
    );
  }

  #renewRefused(isDue: (state: SubscriptionState) => boolean = isRefused): void {
    for (const subscription of this.#subscriptions.all) {
      if (isDue(subscription.state)) subscription.renew();
    }
  }

  /** Checks a link that may be dead, with a short timeout. */
  probe(): void {
    this.#liveness.probe();
  }

  stop(): void {
    this.#liveness.stop();
    this.#refresh?.stop();
    this.#settings.clock.clearTimeout(this.#retryTimer);
  }
}
