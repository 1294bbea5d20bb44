import { Emitter } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { shareKey, type SubscribeSettings } from "./subscribe-options.js";
import { pending, type Gap, type GapReason, type SubscriptionState } from "./subscription-state.js";

/** Events of a subscription's observers, by the names of the callbacks. */
interface SubscriptionEvents {
  onMessage: Message;
  onGap: Gap;
  onState: SubscriptionState;
  onError: SluiceError;
}

/** Receives events that concern no single observer. */
export interface SubscriptionListener {
  onGap(gap: Gap): void;
  onError(error: SluiceError): void;
  onHandlerThrew(thrown: unknown, topic: string): void;
}

/** Observer of a subscription until its removal. */
export interface Attachment {
  /** Subscription that the observer shares. */
  readonly source: Pick<Subscription, "position" | "state">;
  /** Removes the observer; called once. */
  readonly end: () => void;
}

/** Topic or pattern with the observers of one subscription, and the state reported to them. */
export abstract class ObservedTopic {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  state: SubscriptionState;
  /** True if the observers may have received a message or a gap. */
  abstract readonly hasNotified: boolean;
  abstract readonly position: Position | undefined;
  readonly #observers: Emitter<SubscriptionEvents>;
  readonly #listener: SubscriptionListener;

  constructor(topic: string, settings: SubscribeSettings, listener: SubscriptionListener) {
    this.topic = topic;
    this.settings = settings;
    this.state = pending;
    this.#listener = listener;
    this.#observers = new Emitter((thrown) => {
      listener.onHandlerThrew(thrown, topic);
    });
  }

  get isRefused(): boolean {
    return this.state.status === "refused";
  }

  /** Returns whether an observer with these settings can share the subscription. */
  canShare(topic: string, settings: SubscribeSettings): boolean {
    const { from } = settings;
    if (shareKey(topic, settings) !== shareKey(this.topic, this.settings)) return false;
    // Only an observer from the first message on receives the start.
    const hasSameStart = JSON.stringify(from) === JSON.stringify(this.settings.from);
    return !from || (hasSameStart && !this.hasNotified);
  }

  /** Adds an observer; repeats the request if the node had refused it. */
  add(observer: SubscriptionObserver): Attachment {
    if (this.isRefused) this.renew();
    const observers = this.#observers;
    const remove = observers.add(observer);
    let isActive = true;
    if (this.state !== pending) {
      // Deferred until subscribe has returned the subscription.
      queueMicrotask(() => {
        if (isActive) observers.call(observer.onState, this.state);
      });
    }
    const end = (): void => {
      isActive = false;
      remove();
      if (observers.size === 0) this.end();
    };
    return { source: this, end };
  }

  setState(state: SubscriptionState): void {
    if (this.state === state) return;
    this.state = state;
    this.#observers.emit("onState", state);
  }

  emitMessage(message: Message): void {
    this.#observers.emit("onMessage", message);
  }

  emitGap(reason: GapReason): void {
    const gap = { topic: this.topic, reason };
    this.#observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  /** Reports that the node has refused the subscription. */
  refuse(error: SluiceError): void {
    if (!this.isRefused) this.setState({ status: "refused", error });
    if (!this.#observers.emit("onError", error)) this.#listener.onError(error);
  }

  /** Requests a refused subscription again. */
  abstract renew(): void;

  /** Ends the subscription, which has no observers. */
  protected abstract end(): void;
}
