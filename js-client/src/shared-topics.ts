import type { NodeClock } from "./clock.js";
import { Emitter } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { SubscriptionEvents, SubscriptionListener } from "./topic-stream.js";
import { toMessage } from "./message.js";
import type { EngineObserver, Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import {
  advancePosition,
  fromPlain,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import { checkDelivery, keyOf, type SubscribeSettings } from "./subscribe-options.js";
import { pending, type GapReason, type SubscriptionState } from "./subscription-state.js";

/** Subscription of the worker, shared by observers of this tab with the same start. */
interface TabTopic {
  id: number;
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly observers: Emitter<SubscriptionEvents>;
  state: SubscriptionState;
  position: Position | undefined;
  /** True if the observers have received a message or a gap. */
  hasNotified: boolean;
}

/** Message from the worker about a topic. */
export type TopicMessage = Extract<
  WorkerMessage,
  { readonly type: "message" | "moved" | "gap" | "subscription-state" | "refused" }
>;

/** Receives messages for the worker, and events that concern no single observer. */
export interface TabTopicsListener extends SubscriptionListener {
  send(message: TabMessage): void;
}

/** All subscriptions of a tab. Each is one of the worker, which decides what they share. */
export class TabTopics {
  readonly #clock: NodeClock;
  readonly #listener: TabTopicsListener;
  readonly #byId = new Map<number, TabTopic>();
  #lastId = 0;

  constructor(clock: NodeClock, listener: TabTopicsListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /**
   * Adds an observer. Subscribes at the worker if no other observer has the same start, or if the
   * node had refused the subscription.
   *
   * @param signal - Signal that may end the subscription; its listener is removed when the
   *   subscription ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or
   *   `rate`
   */
  add(
    topic: string,
    observer: EngineObserver,
    settings: SubscribeSettings,
    signal?: AbortSignal,
  ): Subscription {
    const key = keyOf(topic, settings.where);
    const others = [...this.#byId.values()].filter(
      (other) => keyOf(other.topic, other.settings.where) === key,
    );
    for (const other of others) checkDelivery(other.settings, settings);
    const found = others.find((other) => canShare(other, settings));
    const shared = found ?? this.#create(topic, settings);
    if (shared.state.status === "refused") this.#resubscribe(shared);
    const detach = shared.observers.add(observer);
    let isEnded = false;
    if (shared.state.status !== "pending") {
      // Deferred until subscribe has returned the function that ends the subscription.
      queueMicrotask(() => {
        if (!isEnded) this.#notifyState(shared, observer);
      });
    }
    const undo = (): void => {
      if (isEnded) return;
      signal?.removeEventListener("abort", undo);
      isEnded = true;
      detach();
      observer.onEnd?.();
      if (shared.observers.size === 0) this.#remove(shared);
    };
    return Object.defineProperties(undo, {
      position: { get: (): Position | undefined => shared.position },
      state: { get: (): SubscriptionState => shared.state },
    }) as Subscription;
  }

  /** Handles a message from the worker; its topic may have been removed. */
  onWorkerMessage(message: TopicMessage): void {
    const shared = this.#byId.get(message.id);
    if (!shared) return;
    switch (message.type) {
      case "message":
        shared.position =
          "position" in message
            ? message.position
            : advancePosition(shared.position, message.message);
        shared.hasNotified = true;
        shared.observers.emit(
          "onMessage",
          toMessage(this.#clock, message.message, message.message),
        );
        return;
      case "moved":
        shared.position = message.position;
        return;
      case "gap":
        shared.position = message.position;
        this.#notifyGap(shared, message.gap.reason);
        return;
      case "subscription-state": {
        const { state, position } = message;
        shared.position = position;
        const isRefused = state.status === "refused";
        this.#setState(shared, isRefused ? { ...state, error: fromPlain(state.error) } : state);
        return;
      }
      case "refused":
        this.#onRefused(shared, fromPlain(message.error));
    }
  }

  /** Handles the end of the worker. */
  onLost(): void {
    for (const shared of [...this.#byId.values()]) {
      if (shared.state.status !== "pending") this.#setState(shared, pending);
      // The new worker sends it from the start again, including messages that were already
      // delivered.
      if (shared.hasNotified && !shared.position) this.#notifyGap(shared, "snapshot-cut");
    }
  }

  /** Subscribes to all topics again, at their positions. */
  subscribeAll(): void {
    for (const shared of this.#byId.values()) this.#sendSubscribe(shared);
  }

  /** Handles the end of the client. */
  onClosed(): void {
    const all = [...this.#byId.values()];
    this.#byId.clear();
    for (const shared of all) {
      if (shared.state.status !== "pending") this.#setState(shared, pending);
    }
  }

  #create(topic: string, settings: SubscribeSettings): TabTopic {
    const created: TabTopic = {
      id: ++this.#lastId,
      topic,
      settings,
      observers: new Emitter((thrown) => {
        this.#listener.onHandlerThrew(thrown);
      }),
      state: pending,
      position: undefined,
      hasNotified: false,
    };
    this.#sendSubscribe(created);
    return created;
  }

  #sendSubscribe(shared: TabTopic): void {
    this.#byId.set(shared.id, shared);
    const { id, topic, position } = shared;
    const settings = position ? { ...shared.settings, from: position } : shared.settings;
    this.#listener.send({ type: "subscribe", id, topic, settings });
  }

  #resubscribe(shared: TabTopic): void {
    this.#remove(shared);
    shared.id = ++this.#lastId;
    this.#setState(shared, pending);
    this.#sendSubscribe(shared);
  }

  #remove({ id }: TabTopic): void {
    this.#byId.delete(id);
    this.#listener.send({ type: "unsubscribe", id });
  }

  #notifyState({ state }: TabTopic, observer: SubscriptionObserver): void {
    try {
      observer.onState?.(state);
    } catch (thrown) {
      this.#listener.onHandlerThrew(thrown);
    }
  }

  #onRefused(shared: TabTopic, error: SluiceError): void {
    if (shared.state.status !== "refused") this.#setState(shared, { status: "refused", error });
    if (!shared.observers.emit("onError", error)) this.#listener.onError(error);
  }

  #notifyGap(shared: TabTopic, reason: GapReason): void {
    shared.hasNotified = true;
    const gap = { topic: shared.topic, reason };
    shared.observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  #setState(shared: TabTopic, state: SubscriptionState): void {
    shared.state = state;
    shared.observers.emit("onState", state);
  }
}

/** Returns whether a new observer gets the start that it requests. */
function canShare({ hasNotified, settings }: TabTopic, asked: SubscribeSettings): boolean {
  if (asked.from === undefined) return true;
  return !hasNotified && JSON.stringify(settings.from) === JSON.stringify(asked.from);
}
