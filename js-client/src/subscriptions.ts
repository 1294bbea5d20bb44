import { widenTime, type BinaryMessage } from "./binary.js";
import { Continuity } from "./continuity.js";
import { SluiceError } from "./errors.js";
import { Emitter, type Undo } from "./emitter.js";
import {
  encodeSubscribe,
  encodeUnsubscribe,
  type Channel,
  type ErrorFrame,
  type GapFrame,
  type GapReason,
  type Subscribed,
} from "./frames.js";
import type { Link } from "./link.js";
import type { Message, SentMessage } from "./message.js";
import type { Position } from "./position.js";
import { checkShared, type SubscribeSettings } from "./subscribe-options.js";

/** A place in a subscription's stream at which messages may be missing. */
export interface Gap {
  /** The topic or pattern that was subscribed. */
  readonly topic: string;
  readonly reason: GapReason;
}

/** Where one subscription stands. */
export type SubscriptionState =
  /** There is no connection, or the node has not answered yet. */
  | { readonly status: "waiting" }
  /** Messages arrive; `epoch` and `offset` say where the stream began on this connection. */
  | { readonly status: "live"; readonly epoch: string; readonly offset: number }
  /** The node said no. It is asked again at the next connection, and for the next handler. */
  | { readonly status: "refused"; readonly error: SluiceError };

/** What {@link SluiceClient.subscribe} returns: a function that ends the subscription. */
export interface Subscription extends Undo {
  /**
   * Where the subscription stands now, after the message that is being told. An application that
   * keeps it can subscribe `from` it later, also in another page. Undefined before the node's first
   * answer, and within a snapshot.
   */
  readonly position: Position | undefined;
}

/** What one caller of subscribe wants to hear. */
export interface SubscriptionObserver {
  /** A message. Handlers are called one after the other and should return soon. */
  readonly onMessage: (message: Message) => void;
  /** Messages may be missing here. */
  readonly onGap?: (gap: Gap) => void;
  /** The subscription's state has changed; also called once if it is not waiting to begin with. */
  readonly onState?: (state: SubscriptionState) => void;
  /** The node refused the subscription. Without this, the client's `error` event tells of it. */
  readonly onError?: (error: SluiceError) => void;
}

interface SubscriptionEvents {
  message: Message;
  gap: Gap;
  state: SubscriptionState;
  error: SluiceError;
}

/** One topic or pattern with all of its local observers. */
interface SharedSubscription {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly continuity: Continuity;
  readonly observers: Emitter<SubscriptionEvents>;
  observerCount: number;
  state: SubscriptionState;
}

/** Tells the application what concerns no single observer. */
export interface SubscriptionListener {
  onGap(gap: Gap): void;
  onError(error: SluiceError): void;
  onHandlerThrew(thrown: unknown): void;
}

const WAITING: SubscriptionState = { status: "waiting" };

/** All subscriptions of a client: any number of local observers share one on the wire. */
export class Subscriptions {
  readonly #byTopic = new Map<string, SharedSubscription>();
  /** Requests without an answer, of this link. */
  readonly #byRef = new Map<number, SharedSubscription>();
  /** Channels of this link; they have 24 bits and the node limits them. */
  readonly #channels = new Map<number, { readonly topic: string; readonly pattern?: string }>();
  readonly #listener: SubscriptionListener;
  #link: Link | undefined;
  /** How many identities this link's node wants to be remembered. */
  #overlap = 0;

  constructor(listener: SubscriptionListener) {
    this.#listener = listener;
  }

  /**
   * Adds an observer, and subscribes on the wire if it is the first or the node had said no.
   *
   * @throws SluiceError `invalid-argument` if the topic is subscribed with other settings
   */
  add(topic: string, observer: SubscriptionObserver, settings: SubscribeSettings): Subscription {
    const subscription = this.#share(topic, settings);
    if (subscription.state.status === "refused") this.#request(subscription);
    const undos = this.#register(subscription, observer);
    subscription.observerCount++;
    const undo = (): void => {
      if (undos.length === 0) return;
      for (const undo of undos.splice(0)) undo();
      if (--subscription.observerCount === 0) this.#remove(subscription);
    };
    return Object.defineProperty(undo as Undo & { position: Position | undefined }, "position", {
      get: () => subscription.continuity.position,
    });
  }

  /** A link has opened: asks for everything again. */
  onOpen(link: Link): void {
    this.#link = link;
    for (const subscription of this.#byTopic.values()) this.#request(subscription);
  }

  /** The node has introduced itself, which it does before any answer. */
  onHello(overlap: number): void {
    this.#overlap = overlap;
  }

  /** The link is gone. */
  onLost(): void {
    this.#link = undefined;
    this.#byRef.clear();
    this.#channels.clear();
    for (const subscription of this.#byTopic.values()) this.#setState(subscription, WAITING);
  }

  onSubscribed(frame: Subscribed): void {
    // The ref stays known: by it the node may end the subscription later.
    const subscription = frame.ref === undefined ? undefined : this.#byRef.get(frame.ref);
    if (!subscription) return;
    if (frame.channel !== undefined) this.#channels.set(frame.channel, { topic: frame.topic });
    const gap = subscription.continuity.onSubscribed(frame, this.#overlap);
    this.#setState(subscription, { status: "live", epoch: frame.epoch, offset: frame.offset });
    if (gap) this.#tellGap(subscription, gap);
  }

  onChannel({ channel, topic, pattern }: Channel): void {
    this.#channels.set(channel, { topic, pattern });
  }

  /** Returns whether the error answers a subscribe, or ends a subscription that was live. */
  onError(frame: ErrorFrame, error: SluiceError): boolean {
    const subscription = frame.ref === undefined ? undefined : this.#byRef.get(frame.ref);
    if (frame.ref === undefined || !subscription) return false;
    this.#byRef.delete(frame.ref);
    this.#setState(subscription, { status: "refused", error });
    if (!subscription.observers.emit("error", error)) this.#listener.onError(error);
    return true;
  }

  onGap(frame: GapFrame): void {
    const subscription = this.#live(frame.topic);
    if (!subscription) return;
    subscription.continuity.onGap(frame);
    this.#tellGap(subscription, frame.reason);
  }

  onCaughtUp(time: number): void {
    for (const { state, continuity } of this.#byTopic.values()) {
      if (state.status === "live") continuity.onCaughtUp(time);
    }
  }

  onMessage(message: SentMessage): void {
    const subscription = this.#live(message.pattern ?? message.topic);
    if (subscription) this.#deliver(subscription, message);
  }

  onBinary(message: BinaryMessage, nodeNow: number): void {
    const route = this.#channels.get(message.channel);
    if (!route) {
      const channel = String(message.channel);
      throw new SluiceError("bad-answer", `a message came on the unknown channel ${channel}`);
    }
    const subscription = this.#live(route.pattern ?? route.topic);
    if (!subscription) return;
    this.#deliver(subscription, {
      topic: route.topic,
      pattern: route.pattern,
      offset: subscription.continuity.wholeOffset(message.offsetLow),
      time: widenTime(nodeNow, message.timeLow),
      ...message.content,
    });
  }

  #share(topic: string, settings: SubscribeSettings): SharedSubscription {
    const found = this.#byTopic.get(topic);
    if (!found) return this.#create(topic, settings);
    checkShared(found.settings, settings);
    return found;
  }

  #create(topic: string, settings: SubscribeSettings): SharedSubscription {
    const subscription: SharedSubscription = {
      topic,
      settings,
      continuity: new Continuity(settings.from, settings.delivery !== "latest"),
      observers: new Emitter((thrown) => {
        this.#listener.onHandlerThrew(thrown);
      }),
      observerCount: 0,
      state: WAITING,
    };
    this.#byTopic.set(topic, subscription);
    this.#request(subscription);
    return subscription;
  }

  #register(subscription: SharedSubscription, observer: SubscriptionObserver): Undo[] {
    const { observers } = subscription;
    const { onMessage, onGap, onState, onError } = observer;
    const undos = [observers.on("message", onMessage)];
    if (onGap) undos.push(observers.on("gap", onGap));
    if (onError) undos.push(observers.on("error", onError));
    if (onState) {
      undos.push(observers.on("state", onState));
      if (subscription.state.status !== "waiting") this.#tellSoon(subscription, undos, onState);
    }
    return undos;
  }

  /** Not within subscribe, whose caller does not hold the undo yet. */
  #tellSoon(
    subscription: SharedSubscription,
    undos: readonly Undo[],
    onState: (state: SubscriptionState) => void,
  ): void {
    queueMicrotask(() => {
      if (undos.length === 0) return;
      try {
        onState(subscription.state);
      } catch (thrown) {
        this.#listener.onHandlerThrew(thrown);
      }
    });
  }

  #request(subscription: SharedSubscription): void {
    this.#setState(subscription, WAITING);
    if (!this.#link) return;
    const ref = this.#link.nextRef();
    this.#byRef.set(ref, subscription);
    const from = subscription.continuity.onSubscribe();
    this.#link.send(encodeSubscribe(ref, subscription.topic, { ...subscription.settings, from }));
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

  #live(topic: string): SharedSubscription | undefined {
    const subscription = this.#byTopic.get(topic);
    // Before its answer, what comes for a topic belongs to an earlier subscription.
    return subscription?.state.status === "live" ? subscription : undefined;
  }

  #deliver(subscription: SharedSubscription, message: SentMessage): void {
    const verdict = subscription.continuity.onMessage(message.offset, message.id);
    if (verdict.hole) this.#tellGap(subscription, "missing");
    if (!verdict.deliver) return;
    subscription.observers.emit("message", { ...message, replayed: verdict.replayed });
  }

  #tellGap(subscription: SharedSubscription, reason: GapReason): void {
    const gap: Gap = { topic: subscription.topic, reason };
    subscription.observers.emit("gap", gap);
    this.#listener.onGap(gap);
  }

  #setState(subscription: SharedSubscription, state: SubscriptionState): void {
    if (subscription.state === state) return;
    subscription.state = state;
    subscription.observers.emit("state", state);
  }
}
