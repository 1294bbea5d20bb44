import type { NodeClock } from "./clock.js";
import { Emitter } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { SubscriptionEvents, SubscriptionListener } from "./feed.js";
import { toMessage } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { follow, fromPlain, type TabMessage, type WorkerMessage } from "./shared-protocol.js";
import { checkDelivery, type SubscribeSettings } from "./subscribe-options.js";
import { pending, type GapReason, type SubscriptionState } from "./subscription-state.js";

/** A subscription of the worker's; observers of this tab who begin at the same place share it. */
interface TabTopic {
  id: number;
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly observers: Emitter<SubscriptionEvents>;
  state: SubscriptionState;
  position: Position | undefined;
  /** The observers were given a message, or told of a gap. */
  hasTold: boolean;
}

/** What the worker says of a topic. */
export type TopicMessage = Extract<
  WorkerMessage,
  { readonly type: "message" | "moved" | "gap" | "subscription-state" | "refused" }
>;

/** Hears what concerns the worker, or no single observer. */
export interface TabTopicsListener extends SubscriptionListener {
  say(message: TabMessage): void;
}

/** All subscriptions of a tab. Each is one of the worker's, which decides what they share. */
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
   * Adds an observer, and asks the worker if no other begins where it does or the node had said no.
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
    const others = [...this.#byId.values()].filter((other) => other.topic === topic);
    for (const other of others) checkDelivery(other.settings, settings);
    const found = others.find((other) => canShare(other, settings));
    const shared = found ?? this.#create(topic, settings);
    if (shared.state.status === "refused") this.#askAgain(shared);
    const leave = shared.observers.add(observer);
    let hasLeft = false;
    if (shared.state.status !== "pending") {
      // Not within subscribe, whose caller does not hold the undo yet.
      queueMicrotask(() => {
        if (!hasLeft) this.#tellState(shared, observer);
      });
    }
    const undo = (): void => {
      if (hasLeft) return;
      signal?.removeEventListener("abort", undo);
      hasLeft = true;
      leave();
      if (shared.observers.size === 0) this.#forget(shared);
    };
    return Object.defineProperties(undo, {
      position: { get: (): Position | undefined => shared.position },
      state: { get: (): SubscriptionState => shared.state },
    }) as Subscription;
  }

  /** The worker has told of a topic, maybe of one that is no more. */
  onTold(told: TopicMessage): void {
    const shared = this.#byId.get(told.id);
    if (!shared) return;
    switch (told.type) {
      case "message":
        shared.position =
          "position" in told ? told.position : follow(shared.position, told.message);
        shared.hasTold = true;
        shared.observers.emit("onMessage", toMessage(this.#clock, told.message, told.message));
        return;
      case "moved":
        shared.position = told.position;
        return;
      case "gap":
        shared.position = told.position;
        this.#tellGap(shared, told.gap.reason);
        return;
      case "subscription-state": {
        const { state, position } = told;
        shared.position = position;
        const isRefused = state.status === "refused";
        this.#setState(shared, isRefused ? { ...state, error: fromPlain(state.error) } : state);
        return;
      }
      case "refused":
        this.#onRefused(shared, fromPlain(told.error));
    }
  }

  /** What the worker said last is over; what follows comes from another one. */
  onLost(): void {
    for (const shared of [...this.#byId.values()]) {
      if (shared.state.status !== "pending") this.#setState(shared, pending);
      // It is sent again from its beginning, and nobody there knows that some of it has come.
      if (shared.hasTold && !shared.position) this.#tellGap(shared, "snapshot-cut");
    }
  }

  /** Asks for everything, at the positions at which it stands. */
  askAll(): void {
    for (const shared of this.#byId.values()) this.#ask(shared);
  }

  /** Nothing will come any more. */
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
      hasTold: false,
    };
    this.#ask(created);
    return created;
  }

  #ask(shared: TabTopic): void {
    this.#byId.set(shared.id, shared);
    const { id, topic, position } = shared;
    const settings = position ? { ...shared.settings, from: position } : shared.settings;
    this.#listener.say({ type: "subscribe", id, topic, settings });
  }

  #askAgain(shared: TabTopic): void {
    this.#forget(shared);
    shared.id = ++this.#lastId;
    this.#setState(shared, pending);
    this.#ask(shared);
  }

  #forget({ id }: TabTopic): void {
    this.#byId.delete(id);
    this.#listener.say({ type: "unsubscribe", id });
  }

  #tellState({ state }: TabTopic, observer: SubscriptionObserver): void {
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

  #tellGap(shared: TabTopic, reason: GapReason): void {
    shared.hasTold = true;
    const gap = { topic: shared.topic, reason };
    shared.observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  #setState(shared: TabTopic, state: SubscriptionState): void {
    shared.state = state;
    shared.observers.emit("onState", state);
  }
}

/** Whether one who comes now gets what it asks for. */
function canShare({ hasTold, settings }: TabTopic, asked: SubscribeSettings): boolean {
  if (asked.from === undefined) return true;
  return !hasTold && JSON.stringify(settings.from) === JSON.stringify(asked.from);
}
