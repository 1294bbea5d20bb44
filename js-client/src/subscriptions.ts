import { widenTime, type BinaryMessage } from "./binary.js";
import type { NodeClock } from "./clock.js";
import { protocolError, type SluiceError } from "./errors.js";
import type { SubscriptionListener } from "./topic-stream.js";
import {
  encodeSubscribe,
  encodeUnsubscribe,
  type Channel,
  type ErrorFrame,
  type GapFrame,
  type Subscribed,
} from "./frames.js";
import type { Link } from "./link.js";
import type { MessageFrame } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { From } from "./position.js";
import { TopicSubscription, type SubscriptionPhase } from "./topic-subscription.js";

/** All subscriptions of a client by topic, and the link that carries them. */
export class Subscriptions {
  readonly #byTopic = new Map<string, TopicSubscription>();
  /**
   * Subscriptions by the `ref` of their subscribe on this link. An `error` with that `ref` refuses
   * or ends the subscription.
   */
  readonly #byRef = new Map<number | undefined, TopicSubscription>();
  /** Channels of this link; they have 24 bits, and the node limits their number. */
  readonly #channels = new Map<number, { readonly topic: string; readonly pattern?: string }>();
  readonly #listener: SubscriptionListener;
  readonly #clock: NodeClock;
  #link: Link | undefined;
  /** Number of message identities that this link's node requires the client to remember. */
  #overlap = 0;

  constructor(clock: NodeClock, listener: SubscriptionListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /**
   * Adds an observer. Subscribes on the wire if it is the first one, or if the node had refused the
   * subscription.
   *
   * @param signal - Signal that may end the subscription; its listener is removed when the
   *   subscription ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or
   *   `rate`
   */
  add(
    topic: string,
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
    signal?: AbortSignal,
  ): Subscription {
    const subscription = this.#byTopic.get(topic) ?? this.#create(topic, settings);
    return subscription.add(observer, settings, signal);
  }

  /** Phase of the subscriptions that were requested on the link. */
  get phase(): SubscriptionPhase {
    const all = this.all.map(({ phase }) => phase);
    return (["opening", "live"] as const).find((one) => all.includes(one)) ?? "none";
  }

  /** Subscriptions of all topics. */
  get all(): readonly TopicSubscription[] {
    return [...this.#byTopic.values()];
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
      if (ref !== undefined) this.#byRef.set(ref, subscription);
      subscription.onOpen(ref);
    }
  }

  /** Records the node's hello, which precedes any answer. */
  onHello(overlap: number): void {
    this.#overlap = overlap;
  }

  /**
   * Handles the loss of the link.
   *
   * @param isRenewed - The next link follows at once, and the application is not notified.
   */
  onLost(isRenewed: boolean): void {
    this.#link = undefined;
    this.#clearRequests();
    for (const subscription of this.#byTopic.values()) subscription.onLost(isRenewed);
  }

  /**
   * Sends a subscribe on a link; returns its number, or undefined if the next session has to send
   * it.
   */
  subscribe(
    link: Link,
    { topic, settings }: TopicSubscription,
    from: From | undefined,
  ): number | undefined {
    const ref = link.nextRef();
    return link.send(encodeSubscribe(ref, topic, { ...settings, from })) ? ref : undefined;
  }

  /** Ends a subscription on a link, or withdraws its request. */
  unsubscribe(link: Link, topic: string): void {
    link.send(encodeUnsubscribe(link.nextRef(), topic));
  }

  onSubscribed(frame: Subscribed): void {
    const { channel, topic, ref } = frame;
    const subscription = this.#byRef.get(ref);
    // Also recorded for a withdrawn subscribe, because its channel would otherwise be unknown.
    if (channel !== undefined) this.#channels.set(channel, { topic });
    if (!subscription) return;
    subscription.onSubscribed(frame, this.#overlap);
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
    this.#byTopic.get(frame.topic)?.onGap(frame);
  }

  /** Reports a possible gap to all subscriptions, as a frame could not be parsed. */
  onBadFrame(): void {
    for (const subscription of this.all) subscription.onBadFrame();
  }

  onCaughtUp(time: number): void {
    for (const subscription of this.#byTopic.values()) subscription.onCaughtUp(time);
  }

  onMessage(frame: MessageFrame): void {
    this.#byTopic.get(frame.pattern ?? frame.topic)?.onMessage(frame);
  }

  onBinary(message: BinaryMessage): void {
    const route = this.#channels.get(message.channel);
    if (!route) throw protocolError(`unknown channel ${String(message.channel)}`);
    const { topic, pattern } = route;
    const subscription = this.#byTopic.get(pattern ?? topic);
    subscription?.onMessage({
      topic,
      pattern,
      offset: subscription.wholeOffset(message.offsetLow),
      time: widenTime(this.#clock.now(), message.timeLow),
      id: message.id,
      properties: message.properties,
      removed: message.removed,
      kind: message.kind,
      payload: message.payload,
    } as MessageFrame);
  }

  #create(topic: string, settings: SubscribeSettings): TopicSubscription {
    const created: TopicSubscription = new TopicSubscription(
      topic,
      settings,
      this.#clock,
      {
        subscribe: (from) => {
          const ref = this.#link && this.subscribe(this.#link, created, from);
          if (ref !== undefined) this.#byRef.set(ref, created);
          return ref;
        },
        unsubscribe: (ref) => {
          // Discards an answer that was sent before the node received the unsubscribe.
          this.#byRef.delete(ref);
          if (this.#link) this.unsubscribe(this.#link, topic);
        },
        onEmpty: () => {
          this.#byTopic.delete(topic);
        },
      },
      this.#listener,
    );
    this.#byTopic.set(topic, created);
    created.onOpen();
    return created;
  }

  #clearRequests(): void {
    this.#byRef.clear();
    this.#channels.clear();
  }
}
