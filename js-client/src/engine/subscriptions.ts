import { widenTime, type BinaryMessage } from "./binary.js";
import type { NodeClock } from "./clock.js";
import { protocolError, SluiceError } from "./errors.js";
import {
  encodeSubscribe,
  encodeUnsubscribe,
  type Channel,
  type ErrorFrame,
  type GapFrame,
  type Hello,
  type Subscribed,
} from "./frames.js";
import type { Link } from "../transport/link.js";
import type { MessageFrame } from "./message.js";
import type { Attachment, SubscriptionListener } from "./observed-topic.js";
import type { SubscriptionObserver } from "./observer.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { From } from "./position.js";
import {
  TopicSubscription,
  type SubscriptionHost,
  type SubscriptionPhase,
} from "./topic-subscription.js";

type Writable<Type> = { -readonly [Name in keyof Type]?: Type[Name] | undefined };

/** All subscriptions of a client, and the link that carries them. */
export class Subscriptions implements SubscriptionHost {
  readonly clock: NodeClock;
  readonly listener: SubscriptionListener;
  /** Plain subscriptions by their topic, tagged ones by themselves. */
  readonly #byKey = new Map<unknown, TopicSubscription>();
  /**
   * Subscriptions by the `ref` of their subscribe on this link. An `error` with that `ref` refuses
   * or ends the subscription.
   */
  readonly #byRef = new Map<number | undefined, TopicSubscription>();
  /** Channels of this link; they have 24 bits, and the node limits their number. */
  readonly #channels = new Map<number, { readonly topic: string; readonly pattern?: string }>();
  #link: Link | undefined;
  /** Optional features of this link's node; undefined before its hello. */
  #features: readonly string[] | undefined;
  /** Number of message identities that this link's node requires the client to remember. */
  #overlap = 0;

  constructor(clock: NodeClock, listener: SubscriptionListener) {
    this.clock = clock;
    this.listener = listener;
  }

  /**
   * Adds an observer to a subscription with the same options; creates one if there is none, or if
   * the observer requests a start that the others have passed.
   */
  add(topic: string, observer: SubscriptionObserver, settings: SubscribeSettings): Attachment {
    const found = this.all.find((other) => other.canShare(topic, settings));
    return (found ?? this.#create(topic, settings)).add(observer);
  }

  /** Phase of the subscriptions that were requested on the link. */
  get phase(): SubscriptionPhase {
    const all = this.all.map(({ phase }) => phase);
    return (["opening", "live"] as const).find((one) => all.includes(one)) ?? "none";
  }

  /** All subscriptions, oldest first. */
  get all(): readonly TopicSubscription[] {
    return [...this.#byKey.values()];
  }

  /**
   * Requests all subscriptions on a link that has opened or is renewed.
   *
   * @param sentRefs - Numbers of requests that were already sent while another link was in use.
   */
  onOpen(link: Link, sentRefs?: ReadonlyMap<TopicSubscription, number>): void {
    this.#clearRequests();
    this.#link = link;
    for (const subscription of this.all) {
      const ref = sentRefs?.get(subscription);
      if (ref) this.#byRef.set(ref, subscription);
      subscription.onOpen(ref);
    }
  }

  /**
   * Handles the node's hello, which precedes any answer. Subscriptions with a selector wait for it,
   * as older nodes would ignore the selector.
   */
  onHello({ limits, features = [] }: Hello): void {
    this.#overlap = limits.overlap;
    this.#features = features;
    for (const subscription of this.all) {
      if (subscription.settings.where && !subscription.isRequested) subscription.onOpen();
    }
  }

  /**
   * Handles the loss of the link.
   *
   * @param isRenewed - The next link follows at once, and the application is not notified.
   */
  onLost(isRenewed: boolean): void {
    this.#link = this.#features = undefined;
    this.#clearRequests();
    for (const subscription of this.all) subscription.onLost(isRenewed);
  }

  /**
   * Sends a subscribe on a link; returns its number, or undefined if the next session has to send
   * it.
   */
  subscribe(
    link: Link,
    { topic, settings, isTagged }: TopicSubscription,
    from: From | undefined,
  ): number | undefined {
    const ref = link.nextRef();
    const frame = encodeSubscribe(ref, topic, { ...settings, from }, isTagged);
    return link.send(frame) ? ref : undefined;
  }

  /** Ends a subscription on a link, or withdraws its request. */
  unsubscribe(link: Link, { topic, isTagged }: TopicSubscription, ref: number): void {
    link.send(encodeUnsubscribe(link.nextRef(), topic, isTagged ? ref : undefined));
  }

  request(subscription: TopicSubscription, from: From | undefined): number | undefined {
    if (subscription.settings.where && !this.#features?.includes("selectors")) {
      queueMicrotask(() => {
        this.#refuse(subscription, "selectors (where)");
      });
      return undefined;
    }
    const ref = this.#link && this.subscribe(this.#link, subscription, from);
    if (ref) this.#byRef.set(ref, subscription);
    return ref;
  }

  remove(subscription: TopicSubscription, ref: number | undefined): void {
    this.#byKey.delete(keyOf(subscription));
    if (!ref) return;
    // Discards an answer that was sent before the node received the unsubscribe.
    this.#byRef.delete(ref);
    if (this.#link) this.unsubscribe(this.#link, subscription, ref);
  }

  onSubscribed(frame: Subscribed): void {
    const { channel, topic, ref } = frame;
    const subscription = this.#byRef.get(ref);
    // Also recorded for a withdrawn subscribe, because its channel would otherwise be unknown.
    if (channel !== undefined) this.#channels.set(channel, { topic });
    if (!subscription) return;
    // An older node has made it the plain subscription of the topic.
    if (subscription.isTagged && !frame.tagged) this.#refuse(subscription, "several subscriptions");
    else subscription.onSubscribed(frame, this.#overlap);
  }

  onChannel({ channel, topic, pattern }: Channel): void {
    this.#channels.set(channel, { topic, pattern });
  }

  /** Handles an error; returns whether it refuses a subscribe, or ends a live subscription. */
  onError({ ref }: ErrorFrame, error: SluiceError): boolean {
    const subscription = this.#byRef.get(ref);
    this.#byRef.delete(ref);
    subscription?.onRefused(error);
    return subscription !== undefined;
  }

  onGap(frame: GapFrame): void {
    this.#find(frame.ref, frame.topic)?.onGap(frame);
  }

  /** Handles a frame that may have been a message of any subscription. */
  onBadFrame(): void {
    for (const subscription of this.all) subscription.onBadFrame();
  }

  onCaughtUp(time: number): void {
    for (const subscription of this.all) subscription.onCaughtUp(time);
  }

  onMessage(frame: MessageFrame): void {
    this.#pass(this.#find(frame.ref, frame.pattern ?? frame.topic), frame);
  }

  onBinary(message: BinaryMessage): void {
    const { ref, channel, offsetLow, timeLow } = message;
    const { topic, pattern } = this.#channels.get(channel) ?? {};
    const subscription = this.#find(ref, pattern ?? topic);
    const offset = subscription?.continuity.wholeOffset(offsetLow);
    const frame = message as unknown as Writable<MessageFrame>;
    // A copy of all members would cost more than the rest of the parser.
    frame.topic = topic;
    frame.pattern = pattern;
    frame.offset = offset;
    frame.time = widenTime(this.clock.now(), timeLow);
    if (!topic) frame.error = protocolError(`unknown channel ${String(channel)}`);
    this.#pass(subscription, frame as MessageFrame);
  }

  /** Delivers a message; throws if it is an unreadable one of no known subscription. */
  #pass(subscription: TopicSubscription | undefined, frame: MessageFrame): void {
    if (!subscription && frame.error) throw frame.error as Error;
    subscription?.onMessage(frame);
  }

  /** Returns the tagged subscription of a number, or the plain one of a topic. */
  #find(ref: number | undefined, topic: string | undefined): TopicSubscription | undefined {
    return ref === undefined ? this.#byKey.get(topic) : this.#byRef.get(ref);
  }

  #create(topic: string, settings: SubscribeSettings): TopicSubscription {
    const isTagged = !!settings.where || this.#byKey.has(topic);
    const created = new TopicSubscription(topic, settings, isTagged, this);
    this.#byKey.set(keyOf(created), created);
    created.onOpen();
    return created;
  }

  /** Refuses a subscription that the node does not support. */
  #refuse(subscription: TopicSubscription, feature: string): void {
    if (!this.#features || !this.#byKey.has(subscription) || subscription.isRefused) return;
    const message = `the node does not support ${feature}`;
    subscription.onRefused(new SluiceError("unsupported", message, subscription.topic));
  }

  #clearRequests(): void {
    this.#byRef.clear();
    this.#channels.clear();
  }
}

function keyOf(subscription: TopicSubscription): unknown {
  return subscription.isTagged ? subscription : subscription.topic;
}
