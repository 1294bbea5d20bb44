import type { NodeClock } from "./clock.js";
import { Continuity } from "./continuity.js";
import { Emitter, type Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import { toMessage, type Message, type MessageFrame } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import {
  nextState,
  pending,
  type Gap,
  type GapReason,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

/** Events of a subscription's observers, by the names of the callbacks. */
export interface SubscriptionEvents {
  onMessage: Message;
  onGap: Gap;
  onState: SubscriptionState;
  onError: SluiceError;
}

/** Receives events that concern no single observer. */
export interface SubscriptionListener {
  onGap(gap: Gap): void;
  onError(error: SluiceError): void;
  onHandlerThrew(thrown: unknown): void;
}

/** Handle of an observer that can move between streams. */
export interface MovableHandle {
  readonly observer: SubscriptionObserver;
  /** Stream to which the handle is or will be attached. */
  stream: TopicStream;
  /** Returns the end of the previous stream, while its messages may be repeated. */
  previousEnd: (() => Position | undefined) | undefined;
  readonly detach: Undo;
  /** Attaches the observer, or a wrapper of it, to the stream. */
  attach(observer: SubscriptionObserver): void;
}

/** Stream of a topic with its position, shared by observers with the same start. */
export class TopicStream {
  readonly topic: string;
  readonly continuity: Continuity;
  readonly handles: Set<MovableHandle>;
  /** State as reported to the application; renewing the stream does not change it. */
  state: SubscriptionState;
  /** Reason of a gap reported after the latest message. */
  gapBefore: GapReason | undefined;
  readonly #startKey: string | undefined;
  readonly #observers: Emitter<SubscriptionEvents>;
  readonly #listener: SubscriptionListener;

  constructor(topic: string, settings: SubscribeSettings, listener: SubscriptionListener) {
    this.topic = topic;
    this.handles = new Set();
    this.state = pending;
    this.continuity = new Continuity(settings.from, settings.delivery !== "latest");
    this.#startKey = startKeyOf(settings);
    this.#listener = listener;
    this.#observers = new Emitter((thrown) => {
      listener.onHandlerThrew(thrown);
    });
  }

  /** Returns whether a new observer gets the start that it requests. */
  canJoin(settings: SubscribeSettings): boolean {
    return !this.continuity.hasNotified && this.#startKey === startKeyOf(settings);
  }

  get isRefused(): boolean {
    return this.state.status === "refused";
  }

  /** Adds an observer of all events. */
  add(observer: SubscriptionObserver): Undo {
    return this.#observers.add(observer);
  }

  /** Delivers a message unless it is a duplicate. */
  deliver(clock: NodeClock, frame: MessageFrame): void {
    const { gap, deliver, replayed } = this.continuity.onMessage(frame.offset, frame.id);
    if (gap) this.onGap("missing");
    if (!deliver) return;
    const { gapBefore } = this;
    this.gapBefore = undefined;
    this.apply({ type: "message" });
    this.#observers.emit("onMessage", toMessage(clock, frame, { replayed, gapBefore }));
  }

  /** Records and reports a gap. */
  onGap(reason: GapReason): void {
    this.apply({ type: "gap", reason });
    this.emitGap(reason);
  }

  emitGap(reason: GapReason): void {
    this.gapBefore = reason;
    const gap = { topic: this.topic, reason };
    this.#observers.emit("onGap", gap);
    this.#listener.onGap(gap);
  }

  /** Resets a refused stream, which is then requested again. */
  reset(): void {
    if (this.isRefused) this.apply({ type: "requested" });
  }

  /** Reports that the node has refused the subscription. */
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

  /** Reports the state to one observer. */
  emitState(observer: SubscriptionObserver): void {
    try {
      observer.onState?.(this.state);
    } catch (thrown) {
      this.#listener.onHandlerThrew(thrown);
    }
  }
}

function startKeyOf({ from }: SubscribeSettings): string | undefined {
  return JSON.stringify(from);
}
