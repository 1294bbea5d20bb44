import type { ErrorFrame, Subscribed } from "./frames.js";
import type { Link } from "../transport/link.js";
import type { Settings } from "./options.js";
import type { SubscriptionState } from "./subscription-state.js";
import type { Subscriptions } from "./subscriptions.js";
import type { TopicSubscription } from "./topic-subscription.js";

/** Client as used by the subscribe requests. */
export interface SubscribeRequestsHost {
  readonly settings: Settings;
  readonly subscriptions: Subscriptions;
}

/**
 * Subscribe request to the other node, sent or waiting: for a retry, or for the next HTTP stream.
 */
export interface SubscribeRequest {
  readonly subscription: TopicSubscription;
  /** Request number; undefined until the request is sent. */
  ref: number | undefined;
  /**
   * State and message count of the old link's stream at the time of the request; a gap or an answer
   * changes the state.
   */
  readonly state: SubscriptionState;
  readonly count: number;
  isAnswered: boolean;
  /** Time of the next attempt, by the client's clock. */
  retryAt: number;
}

// Errors after which the node may accept the subscription later.
const TRANSIENT_ERRORS = ["rate-limited", "broker-unavailable", "too-many-topics"];

/** Subscribe requests on a candidate link, and their answers. */
export class SubscribeRequests {
  readonly #host: SubscribeRequestsHost;
  readonly #link: Link;
  readonly #all = new Map<TopicSubscription, SubscribeRequest>();
  readonly #byRef = new Map<number | undefined, SubscribeRequest>();
  /** Number of postponements of each subscription. */
  readonly #delays = new Map<TopicSubscription, number>();
  /** Number of message identities that the node requires the client to remember. */
  overlap = Infinity;
  /** Optional features of the node; undefined before its hello. */
  features: readonly string[] | undefined;
  /** The node has the logs of the current one, so it is the same node. */
  isCurrentNode = false;
  /** The node has permanently refused a subscription. */
  isRefused = false;

  constructor(host: SubscribeRequestsHost, link: Link) {
    this.#host = host;
    this.#link = link;
  }

  /** Discards all requests, as the link has opened or is renewed. */
  clear(): void {
    this.#all.clear();
    this.#byRef.clear();
  }

  /** Sends requests that are missing or outdated; returns whether everything is answered. */
  update(): boolean {
    this.#withdrawUnused();
    let isReady = true;
    for (const subscription of this.#host.subscriptions.all) {
      if (!subscription.isRefused && !this.#isAnswered(subscription)) isReady = false;
    }
    return isReady;
  }

  /** Returns the request numbers that are still valid; withdraws the other requests. */
  get refs(): ReadonlyMap<TopicSubscription, number> {
    for (const subscription of this.#host.subscriptions.all) subscription.reset();
    this.#withdrawUnused();
    const refs = new Map<TopicSubscription, number>();
    for (const request of this.#all.values()) {
      if (!this.#isCurrent(request)) this.#withdraw(request);
      else if (request.ref !== undefined) refs.set(request.subscription, request.ref);
    }
    return refs;
  }

  /**
   * Returns whether answers are pending. Unsent requests don't count; they wait until the link is
   * renewed.
   */
  get hasPending(): boolean {
    return [...this.#all.values()].some(({ ref, isAnswered }) => ref !== undefined && !isAnswered);
  }

  /** Returns whether the request has not been withdrawn. */
  isPending(request: SubscribeRequest): boolean {
    return this.#all.get(request.subscription) === request;
  }

  /** Handles an answer; returns its request, if there is one. */
  onAnswer(frame: Subscribed | ErrorFrame): SubscribeRequest | undefined {
    const request = this.#byRef.get(frame.ref);
    if (!request) return undefined;
    const { state } = request;
    const isError = frame.type === "error";
    request.isAnswered = !isError || !TRANSIENT_ERRORS.includes(frame.code);
    if (!isError) this.isCurrentNode ||= "epoch" in state && state.epoch === frame.epoch;
    else if (request.isAnswered) this.isRefused = true;
    else this.#postpone(request);
    return request;
  }

  /**
   * Resets the request for a retry; if the client adopts the link before, it sends the request
   * itself.
   */
  #postpone(request: SubscribeRequest): void {
    const { clock, backoff } = this.#host.settings;
    const delays = (this.#delays.get(request.subscription) ?? 0) + 1;
    this.#delays.set(request.subscription, delays);
    request.retryAt = clock.now() + backoff(delays);
    this.#byRef.delete(request.ref);
    request.ref = undefined;
  }

  /** Returns whether a valid request is answered; sends a request if there is no valid one. */
  #isAnswered(subscription: TopicSubscription): boolean {
    const request = this.#all.get(subscription);
    if (request && this.#isCurrent(request)) return request.isAnswered;
    if (subscription.settings.where && !this.features?.includes("selectors")) {
      // After the hello, the client refuses it once it has adopted the link.
      this.isRefused ||= this.features !== undefined;
      return this.features !== undefined;
    }
    if (subscription.isResumable) this.#send(subscription);
    return false;
  }

  #send(subscription: TopicSubscription): void {
    const before = this.#all.get(subscription);
    if (before) this.#withdraw(before);
    const { state, continuity } = subscription;
    const { next, count } = continuity;
    const ref = this.#host.subscriptions.subscribe(this.#link, subscription, next);
    const request = { subscription, ref, state, count, isAnswered: false, retryAt: Infinity };
    this.#all.set(subscription, request);
    if (ref !== undefined) this.#byRef.set(ref, request);
  }

  /**
   * Returns whether the answer's stream continues the old one. After a gap, earlier messages would
   * arrive out of order. At most half of the overlap may be repeated.
   */
  #isCurrent({ subscription, state, count, retryAt }: SubscribeRequest): boolean {
    const isDue = this.#host.settings.clock.now() >= retryAt;
    if (isDue || !subscription.isResumable || subscription.state !== state) return false;
    return subscription.continuity.count - count <= this.overlap / 2;
  }

  /** Withdraws the requests of subscriptions that have ended. */
  #withdrawUnused(): void {
    const active = new Set(this.#host.subscriptions.all);
    for (const request of this.#all.values()) {
      if (!active.has(request.subscription)) this.#withdraw(request);
    }
  }

  #withdraw({ subscription, ref }: SubscribeRequest): void {
    this.#all.delete(subscription);
    if (ref === undefined || !this.#byRef.delete(ref)) return;
    this.#host.subscriptions.unsubscribe(this.#link, subscription, ref);
  }
}
