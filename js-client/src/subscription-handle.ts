import type { Undo } from "./emitter.js";
import type { MovableHandle, TopicStream } from "./topic-stream.js";
import type { SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { pending } from "./subscription-state.js";

/** Handle of one observer on a topic's stream; it may move to another stream of the same topic. */
export class SubscriptionHandle implements MovableHandle {
  readonly observer: SubscriptionObserver;
  stream: TopicStream;
  detach!: Undo;
  previousEnd: (() => Position | undefined) | undefined;
  #isEnded = false;

  constructor(observer: SubscriptionObserver, stream: TopicStream) {
    this.observer = observer;
    this.stream = stream;
    this.attach(observer);
    if (stream.state === pending) return;
    // Deferred until subscribe has returned the function that ends the subscription.
    queueMicrotask(() => {
      if (!this.#isEnded) this.stream.emitState(observer);
    });
  }

  get position(): Position | undefined {
    return this.previousEnd?.() ?? this.stream.continuity.position;
  }

  /** Detaches the observer; returns false if it was already detached. */
  end(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.detach();
    return true;
  }

  attach(observer: SubscriptionObserver): void {
    const { stream } = this;
    const stop = stream.add(observer);
    stream.handles.add(this);
    this.detach = () => {
      stop();
      stream.handles.delete(this);
    };
  }
}
