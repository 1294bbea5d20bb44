import { widenTime, type BinaryMessage } from "./binary.js";
import type { NodeClock } from "./clock.js";
import { badAnswer, type SluiceError } from "./errors.js";
import type { SubscriptionListener } from "./feed.js";
import {
  encodeSubscribe,
  encodeUnsubscribe,
  type Channel,
  type ErrorFrame,
  type GapFrame,
  type Subscribed,
} from "./frames.js";
import type { Link } from "./link.js";
import type { SentMessage } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { From } from "./position.js";
import { TopicSubscription, type Standing } from "./topic-subscription.js";

/** All subscriptions of a client, each of a topic, and the link that carries them. */
export class Subscriptions {
  readonly #byTopic = new Map<string, TopicSubscription>();
  /** By the refs of the subscribes of this link that stand; by it the node may also end one later. */
  readonly #byRef = new Map<number | undefined, TopicSubscription>();
  /** Channels of this link; they have 24 bits and the node limits them. */
  readonly #channels = new Map<number, { readonly topic: string; readonly pattern?: string }>();
  readonly #listener: SubscriptionListener;
  readonly #clock: NodeClock;
  #link: Link | undefined;
  /** How many identities this link's node wants to be remembered. */
  #overlap = 0;

  constructor(clock: NodeClock, listener: SubscriptionListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /**
   * Adds an observer, and subscribes on the wire if it is the first or the node had said no.
   *
   * @param signal - What may end the subscription; it forgets it when it ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or `rate`
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

  /** How the subscriptions stand of which the link has been told. */
  get standing(): Standing {
    const all = this.all.map(({ standing }) => standing);
    return (["opening", "live"] as const).find((one) => all.includes(one)) ?? "none";
  }

  /** Each topic's. */
  get all(): readonly TopicSubscription[] {
    return [...this.#byTopic.values()];
  }

  /**
   * A link has opened, maybe once more: asks for everything again.
   *
   * @param asked - What it was asked before, and with which refs, while another link carried all.
   */
  onOpen(link: Link, asked?: ReadonlyMap<TopicSubscription, number>): void {
    this.#forgetRequests();
    this.#link = link;
    for (const subscription of this.all) {
      const ref = asked?.get(subscription);
      if (ref !== undefined) this.#byRef.set(ref, subscription);
      subscription.onOpen(ref);
    }
  }

  /** The node has introduced itself, which it does before any answer. */
  onHello(overlap: number): void {
    this.#overlap = overlap;
  }

  /**
   * The link is gone.
   *
   * @param isRenewed - The next one comes at once, and the application need not know.
   */
  onLost(isRenewed: boolean): void {
    this.#link = undefined;
    this.#forgetRequests();
    for (const subscription of this.#byTopic.values()) subscription.onLost(isRenewed);
  }

  /** Asks for a subscription on some link; returns the ref, or undefined if it has to be said again. */
  ask(
    link: Link,
    { topic, settings }: TopicSubscription,
    from: From | undefined,
  ): number | undefined {
    const ref = link.nextRef();
    return link.send(encodeSubscribe(ref, topic, { ...settings, from })) ? ref : undefined;
  }

  /** Ends a subscription on some link, or takes back what was asked there. */
  takeBack(link: Link, topic: string): void {
    link.send(encodeUnsubscribe(link.nextRef(), topic));
  }

  onSubscribed(frame: Subscribed): void {
    const { channel, topic, ref } = frame;
    const subscription = this.#byRef.get(ref);
    // Also of a subscribe that was withdrawn: what comes on its channel is for nobody.
    if (channel !== undefined) this.#channels.set(channel, { topic });
    if (!subscription) return;
    subscription.onSubscribed(frame, this.#overlap);
  }

  onChannel({ channel, topic, pattern }: Channel): void {
    this.#channels.set(channel, { topic, pattern });
  }

  /** Returns whether the error answers a subscribe, or ends a subscription that was live. */
  onError({ ref }: ErrorFrame, error: SluiceError): boolean {
    const subscription = this.#byRef.get(ref);
    this.#byRef.delete(ref);
    subscription?.onRefused(error);
    return subscription !== undefined;
  }

  onGap(frame: GapFrame): void {
    this.#byTopic.get(frame.topic)?.onGap(frame);
  }

  /** A frame could not be read. */
  onBadFrame(): void {
    for (const subscription of this.all) subscription.onBadFrame();
  }

  onCaughtUp(time: number): void {
    for (const subscription of this.#byTopic.values()) subscription.onCaughtUp(time);
  }

  onMessage(message: SentMessage): void {
    this.#byTopic.get(message.pattern ?? message.topic)?.onMessage(message);
  }

  onBinary(message: BinaryMessage): void {
    const route = this.#channels.get(message.channel);
    if (!route) throw badAnswer(`a message on the unknown channel ${String(message.channel)}`);
    const { topic, pattern } = route;
    const subscription = this.#byTopic.get(pattern ?? topic);
    subscription?.onMessage({
      topic,
      pattern,
      offset: subscription.wholeOffset(message.offsetLow),
      time: widenTime(this.#clock.now(), message.timeLow),
      id: message.id,
      properties: message.properties,
      kind: message.kind,
      payload: message.payload,
    } as SentMessage);
  }

  #create(topic: string, settings: SubscribeSettings): TopicSubscription {
    const created: TopicSubscription = new TopicSubscription(
      topic,
      settings,
      this.#clock,
      {
        subscribe: (from) => {
          const ref = this.#link && this.ask(this.#link, created, from);
          if (ref !== undefined) this.#byRef.set(ref, created);
          return ref;
        },
        unsubscribe: (ref) => {
          // Withdrawn, a subscribe is never answered; an answer under way is for nobody.
          this.#byRef.delete(ref);
          if (this.#link) this.takeBack(this.#link, topic);
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

  #forgetRequests(): void {
    this.#byRef.clear();
    this.#channels.clear();
  }
}
