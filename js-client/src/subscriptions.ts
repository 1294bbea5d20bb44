import { widenTime, type BinaryMessage } from "./binary.js";
import type { NodeClock } from "./clock.js";
import { Continuity } from "./continuity.js";
import { Emitter } from "./emitter.js";
import { badAnswer, type SluiceError } from "./errors.js";
import {
  encodeSubscribe,
  encodeUnsubscribe,
  type Channel,
  type ErrorFrame,
  type GapFrame,
  type Subscribed,
} from "./frames.js";
import type { Link } from "./link.js";
import { toMessage, type Message, type SentMessage } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { checkShared, type SubscribeSettings } from "./subscribe-options.js";
import {
  nextState,
  pending,
  type Gap,
  type GapReason,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

interface SubscriptionEvents {
  onMessage: Message;
  onGap: Gap;
  onState: SubscriptionState;
  onError: SluiceError;
}

/** One topic or pattern with all of its local observers. */
interface SharedSubscription {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly continuity: Continuity;
  readonly observers: Emitter<SubscriptionEvents>;
  /** What the application is told; a stream that is renewed does not change it. */
  state: SubscriptionState;
  /** How far the request of this link is. */
  request: "unsaid" | "said" | "answered";
}

/** How the subscriptions of a link stand: it has none, some are being opened, or all are live. */
export type Standing = "none" | "opening" | "live";

/** Tells the application what concerns no single observer. */
export interface SubscriptionListener {
  onGap(gap: Gap): void;
  onError(error: SluiceError): void;
  onHandlerThrew(thrown: unknown): void;
}

/** All subscriptions of a client: any number of local observers share one on the wire. */
export class Subscriptions {
  readonly #byTopic = new Map<string, SharedSubscription>();
  /** Requests without an answer, of this link. */
  readonly #byRef = new Map<number | undefined, SharedSubscription>();
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
   * @throws SluiceError `invalid-argument` if the topic is subscribed with other settings
   */
  add(topic: string, observer: SubscriptionObserver, settings: SubscribeSettings): Subscription {
    const subscription = this.#byTopic.get(topic) ?? this.#create(topic, settings);
    const { observers, continuity } = subscription;
    checkShared(subscription.settings, settings, !continuity.hasTold);
    if (subscription.state.status === "refused") this.#request(subscription);
    const leave = observers.add(observer);
    let hasLeft = false;
    if (subscription.state !== pending) {
      // Not within subscribe, whose caller does not hold the undo yet.
      queueMicrotask(() => {
        if (!hasLeft) this.#tellState(subscription, observer);
      });
    }
    const undo = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      leave();
      if (observers.size === 0) this.#remove(subscription);
    };
    return Object.defineProperties(undo, {
      position: { get: (): Position | undefined => continuity.position },
      state: { get: (): SubscriptionState => subscription.state },
    }) as Subscription;
  }

  /** How the subscriptions stand of which the link has been told. */
  get standing(): Standing {
    let standing: Standing = "none";
    for (const { request, continuity } of this.#byTopic.values()) {
      if (request === "said" || (request === "answered" && continuity.isReplaying)) {
        return "opening";
      }
      if (request === "answered") standing = "live";
    }
    return standing;
  }

  /** A link has opened, maybe once more: asks for everything again. */
  onOpen(link: Link): void {
    this.#forgetRequests();
    this.#link = link;
    for (const subscription of this.#byTopic.values()) {
      // It was refused before the stream was renewed, and would only be so again.
      if (subscription.state.status !== "refused") this.#request(subscription);
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
    if (isRenewed) return;
    for (const subscription of this.#byTopic.values()) this.#apply(subscription, { type: "asked" });
  }

  onSubscribed(frame: Subscribed): void {
    // The ref stays known: by it the node may end the subscription later.
    const subscription = this.#byRef.get(frame.ref);
    if (!subscription) return;
    const { channel, topic, epoch, offset } = frame;
    if (channel !== undefined) this.#channels.set(channel, { topic });
    subscription.request = "answered";
    const gap = subscription.continuity.onSubscribed(frame, this.#overlap);
    this.#apply(subscription, { type: "answered", epoch, offset, gap });
    if (gap) this.#tellGap(subscription, gap);
  }

  onChannel({ channel, topic, pattern }: Channel): void {
    this.#channels.set(channel, { topic, pattern });
  }

  /** Returns whether the error answers a subscribe, or ends a subscription that was live. */
  onError({ ref }: ErrorFrame, error: SluiceError): boolean {
    const subscription = this.#byRef.get(ref);
    if (!subscription) return false;
    this.#byRef.delete(ref);
    subscription.request = "unsaid";
    this.#apply(subscription, { type: "refused", error });
    if (!subscription.observers.emit("onError", error)) this.#listener.onError(error);
    return true;
  }

  onGap(frame: GapFrame): void {
    const subscription = this.#answered(frame.topic);
    if (!subscription) return;
    subscription.continuity.onGap(frame);
    this.#gap(subscription, frame.reason);
  }

  onCaughtUp(time: number): void {
    for (const topic of this.#byTopic.keys()) this.#answered(topic)?.continuity.onCaughtUp(time);
  }

  onMessage(message: SentMessage): void {
    const subscription = this.#answered(message.pattern ?? message.topic);
    if (subscription) this.#deliver(subscription, message);
  }

  onBinary(message: BinaryMessage): void {
    const route = this.#channels.get(message.channel);
    if (!route) throw badAnswer(`a message on the unknown channel ${String(message.channel)}`);
    const { topic, pattern } = route;
    const subscription = this.#answered(pattern ?? topic);
    if (!subscription) return;
    this.#deliver(subscription, {
      topic,
      pattern,
      offset: subscription.continuity.wholeOffset(message.offsetLow),
      time: widenTime(this.#clock.now(), message.timeLow),
      ...message.content,
    });
  }

  #create(topic: string, settings: SubscribeSettings): SharedSubscription {
    const subscription: SharedSubscription = {
      topic,
      settings,
      continuity: new Continuity(settings.from, settings.delivery !== "latest"),
      observers: new Emitter((thrown) => {
        this.#listener.onHandlerThrew(thrown);
      }),
      state: pending,
      request: "unsaid",
    };
    this.#byTopic.set(topic, subscription);
    this.#request(subscription);
    return subscription;
  }

  #tellState({ state }: SharedSubscription, observer: SubscriptionObserver): void {
    try {
      observer.onState?.(state);
    } catch (thrown) {
      this.#listener.onHandlerThrew(thrown);
    }
  }

  #request(subscription: SharedSubscription): void {
    if (subscription.state.status === "refused") this.#apply(subscription, { type: "asked" });
    if (!this.#link) return;
    const ref = this.#link.nextRef();
    const from = subscription.continuity.onSubscribe();
    const frame = encodeSubscribe(ref, subscription.topic, { ...subscription.settings, from });
    if (!this.#link.send(frame)) return;
    subscription.request = "said";
    this.#byRef.set(ref, subscription);
  }

  #forgetRequests(): void {
    this.#byRef.clear();
    this.#channels.clear();
    for (const subscription of this.#byTopic.values()) subscription.request = "unsaid";
  }

  #remove(subscription: SharedSubscription): void {
    this.#byTopic.delete(subscription.topic);
    // Withdrawn, a subscribe is never answered; an answer under way is for nobody.
    for (const [ref, other] of this.#byRef) {
      if (other === subscription) this.#byRef.delete(ref);
    }
    if (!this.#link || subscription.state.status === "refused") return;
    this.#link.send(encodeUnsubscribe(this.#link.nextRef(), subscription.topic));
  }

  /** A subscription that has its answer; before it, what comes belongs to an earlier one. */
  #answered(topic: string): SharedSubscription | undefined {
    const subscription = this.#byTopic.get(topic);
    return subscription?.request === "answered" ? subscription : undefined;
  }

  #deliver(subscription: SharedSubscription, sent: SentMessage): void {
    const verdict = subscription.continuity.onMessage(sent.offset, sent.id);
    if (verdict.hole) this.#gap(subscription, "missing");
    if (!verdict.deliver) return;
    const { state, observers } = subscription;
    const gapBefore = state.status === "gap" ? state.reason : undefined;
    this.#apply(subscription, { type: "message" });
    const { replayed } = verdict;
    observers.emit("onMessage", toMessage(this.#clock, { ...sent, replayed, gapBefore }));
  }

  #gap(subscription: SharedSubscription, reason: GapReason): void {
    this.#apply(subscription, { type: "gap", reason });
    this.#tellGap(subscription, reason);
  }

  #tellGap({ topic, observers }: SharedSubscription, reason: GapReason): void {
    const gap = { topic, reason };
    observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  #apply(subscription: SharedSubscription, event: SubscriptionEvent): void {
    const next = nextState(subscription.state, event);
    if (next === subscription.state) return;
    subscription.state = next;
    subscription.observers.emit("onState", next);
  }
}
