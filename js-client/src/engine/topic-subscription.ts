import type { NodeClock } from "./clock.js";
import { Continuity } from "./continuity.js";
import { toSluiceError, type SluiceError } from "./errors.js";
import type { GapFrame, Subscribed } from "./frames.js";
import { toMessage, type MessageFrame } from "./message.js";
import { ObservedTopic, type SubscriptionListener } from "./observed-topic.js";
import type { From, Position } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import { nextState, type GapReason, type SubscriptionEvent } from "./subscription-state.js";

/** Phase of subscriptions: none, some being opened, or all live. */
export type SubscriptionPhase = "none" | "opening" | "live";

/** Sender of the requests of subscriptions. */
export interface SubscriptionHost {
  readonly clock: NodeClock;
  readonly listener: SubscriptionListener;
  /** Sends a subscribe; returns its number, or undefined if it has to be sent when a link opens. */
  request(subscription: TopicSubscription, from: From | undefined): number | undefined;
  /** Ends a subscription without observers, or withdraws its request. */
  remove(subscription: TopicSubscription, ref: number | undefined): void;
}

/** Subscription of a connection, shared by local observers with the same options. */
export class TopicSubscription extends ObservedTopic {
  /** True if its frames carry its number; the first subscription of a topic is plain. */
  readonly isTagged: boolean;
  continuity: Continuity;
  readonly #host: SubscriptionHost;
  /** Number of the active subscribe. */
  #ref: number | undefined;
  /** The node has answered; earlier messages belong to a subscription that is being ended. */
  #isAnswered = false;
  /** Reason of a gap reported after the latest message. */
  #gapBefore: GapReason | undefined;

  constructor(
    topic: string,
    settings: SubscribeSettings,
    isTagged: boolean,
    host: SubscriptionHost,
  ) {
    super(topic, settings, host.listener);
    this.isTagged = isTagged;
    this.continuity = new Continuity(settings.from, !settings.delivery);
    this.#host = host;
  }

  get hasNotified(): boolean {
    return this.continuity.hasNotified;
  }

  get position(): Position | undefined {
    const { position } = this.continuity;
    const { where } = this.settings;
    return position && where ? { ...position, where } : position;
  }

  /** True if a request was sent on the link. */
  get isRequested(): boolean {
    return !!this.#ref;
  }

  /** True if another link can continue the subscription, which is not in a replay. */
  get isResumable(): boolean {
    return !this.isRefused && !(this.isRequested && this.continuity.isReplaying);
  }

  get phase(): SubscriptionPhase {
    if (!this.isRequested) return "none";
    return this.#isAnswered && !this.continuity.isReplaying ? "live" : "opening";
  }

  /**
   * Sends the request on a link that has opened or is renewed.
   *
   * @param ref - Number of a request that was already sent.
   */
  onOpen(ref?: number): void {
    this.#clearRequest();
    // A subscription that was refused before the renewal would be refused again.
    if (this.isRefused) return;
    const from = this.continuity.onSubscribe();
    this.#ref = ref ?? this.#host.request(this, from);
  }

  /** Resets a refused subscription, which is then requested from the next node. */
  reset(): void {
    if (this.isRefused) this.#apply({ type: "requested" });
  }

  /** Handles the loss of the link; see {@link Subscriptions.onLost}. */
  onLost(isRenewed: boolean): void {
    this.#clearRequest();
    if (!isRenewed) this.#apply({ type: "requested" });
  }

  onSubscribed(frame: Subscribed, overlap: number): void {
    const { source, epoch, offset } = frame;
    this.#isAnswered = true;
    const gap = this.continuity.onSubscribed(frame, overlap);
    this.#apply({ type: "answered", source, epoch, offset, gap });
    if (gap) this.emitGap(gap);
  }

  /** Handles a refusal, or the end of a subscription by the node. */
  onRefused(error: SluiceError): void {
    this.#clearRequest();
    this.refuse(error);
  }

  onGap(frame: GapFrame): void {
    if (!this.#isAnswered) return;
    this.continuity.onGap(frame);
    this.#reportGap(frame.reason);
  }

  /** Handles a frame that may have been a message of any subscription. */
  onBadFrame(): void {
    if (this.#isAnswered && this.continuity.onBadFrame()) this.#reportGap("unreadable");
  }

  onCaughtUp(time: number): void {
    if (this.#isAnswered) this.continuity.onCaughtUp(time);
  }

  /** Delivers a message unless it is a duplicate. */
  onMessage(frame: MessageFrame): void {
    if (!this.#isAnswered) return;
    const { gap, deliver, replayed } = this.continuity.onMessage(frame.offset, frame.id);
    if (gap) this.#reportGap("missing");
    if (!deliver) return;
    if (frame.error) {
      this.#host.listener.onError(toSluiceError(frame.error, this.topic));
      this.#reportGap("unreadable");
      return;
    }
    const gapBefore = this.#gapBefore;
    this.#gapBefore = undefined;
    this.#apply({ type: "message" });
    this.emitMessage(toMessage(this.#host.clock, frame, { replayed, gapBefore }));
  }

  override emitGap(reason: GapReason): void {
    this.#gapBefore = reason;
    super.emitGap(reason);
  }

  override renew(): void {
    this.reset();
    this.onOpen();
  }

  protected override end(): void {
    this.#host.remove(this, this.#ref);
    this.#clearRequest();
  }

  #reportGap(reason: GapReason): void {
    this.#apply({ type: "gap", reason });
    this.emitGap(reason);
  }

  #clearRequest(): void {
    this.#ref = undefined;
    this.#isAnswered = false;
  }

  #apply(event: SubscriptionEvent): void {
    this.setState(nextState(this.state, event));
  }
}
