import type { NodeClock } from "./clock.js";
import { Continuity } from "./continuity.js";
import { Emitter, type Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import { toMessage, type Message, type SentMessage } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import {
  nextState,
  pending,
  type Gap,
  type GapReason,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

/** What the observers of a subscription hear, by the names of their callbacks. */
export interface SubscriptionEvents {
  onMessage: Message;
  onGap: Gap;
  onState: SubscriptionState;
  onError: SluiceError;
}

/** Tells the application what concerns no single observer. */
export interface SubscriptionListener {
  onGap(gap: Gap): void;
  onError(error: SluiceError): void;
  onHandlerThrew(thrown: unknown): void;
}

/** Place of one observer at a feed. */
export interface FeedMember {
  /** Continues at another feed of the same topic. */
  moveTo(feed: Feed, isBehind: boolean): void;
}

/** Observers that have begun at the same place of a topic's stream, and how far they are. */
export class Feed {
  readonly topic: string;
  readonly continuity: Continuity;
  readonly seats = new Set<FeedMember>();
  /** What the application is told; a stream that is renewed does not change it. */
  state: SubscriptionState = pending;
  /** Of a gap that was told after the latest message. */
  gapBefore: GapReason | undefined;
  readonly #wish: string | undefined;
  readonly #observers: Emitter<SubscriptionEvents>;
  readonly #listener: SubscriptionListener;

  constructor(topic: string, settings: SubscribeSettings, listener: SubscriptionListener) {
    this.topic = topic;
    this.continuity = new Continuity(settings.from, settings.delivery !== "latest");
    this.#wish = wishOf(settings);
    this.#listener = listener;
    this.#observers = new Emitter((thrown) => {
      listener.onHandlerThrew(thrown);
    });
  }

  /** Whether one who comes now gets the beginning that it asks for. */
  canBegin(settings: SubscribeSettings): boolean {
    return !this.continuity.hasTold && this.#wish === wishOf(settings);
  }

  get isRefused(): boolean {
    return this.state.status === "refused";
  }

  /** Adds what is told of all that happens. */
  listen(observer: SubscriptionObserver): Undo {
    return this.#observers.add(observer);
  }

  /** Hands a message on, unless the observers have had it. */
  deliver(clock: NodeClock, sent: SentMessage): void {
    const { hole, deliver, replayed } = this.continuity.onMessage(sent.offset, sent.id);
    if (hole) this.gap("missing");
    if (!deliver) return;
    const { gapBefore } = this;
    this.gapBefore = undefined;
    this.apply({ type: "message" });
    this.#observers.emit("onMessage", toMessage(clock, sent, { replayed, gapBefore }));
  }

  /** Messages may be missing here. */
  gap(reason: GapReason): void {
    this.apply({ type: "gap", reason });
    this.tellGap(reason);
  }

  tellGap(reason: GapReason): void {
    this.gapBefore = reason;
    const gap = { topic: this.topic, reason };
    this.#observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  /** If the node had said no, it is asked again. */
  askAgain(): void {
    if (this.isRefused) this.apply({ type: "asked" });
  }

  /** The node has said no. */
  refuse(error: SluiceError): void {
    this.apply({ type: "refused", error });
    if (!this.#observers.emit("onError", error)) this.#listener.onError(error);
  }

  apply(event: SubscriptionEvent): void {
    const next = nextState(this.state, event);
    if (next === this.state) return;
    this.state = next;
    this.#observers.emit("onState", next);
  }

  /** Tells one observer of the state. */
  tellState(observer: SubscriptionObserver): void {
    try {
      observer.onState?.(this.state);
    } catch (thrown) {
      this.#listener.onHandlerThrew(thrown);
    }
  }
}

function wishOf({ from }: SubscribeSettings): string | undefined {
  return JSON.stringify(from);
}
