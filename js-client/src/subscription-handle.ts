import type { Continuity } from "./continuity.js";
import type { Undo } from "./emitter.js";
import type { TopicStream } from "./topic-stream.js";
import { withChanges, type Message } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { pending, type Gap, type GapReason } from "./subscription-state.js";

/** Handle of one observer on a topic's stream; it may move to another stream of the same topic. */
export class SubscriptionHandle {
  readonly #observer: SubscriptionObserver;
  #stream: TopicStream;
  #detach: Undo;
  #isEnded = false;
  /** Continuity of the previous stream and its end, while messages may be repeated. */
  #previous: Continuity | undefined;
  #previousEnd: Position | undefined;
  /** Gap of the previous stream that precedes the next message. */
  #gapBefore: GapReason | undefined;

  constructor(observer: SubscriptionObserver, stream: TopicStream) {
    this.#observer = observer;
    this.#stream = stream;
    this.#detach = this.#attach(observer);
    if (stream.state === pending) return;
    // Deferred until subscribe has returned the function that ends the subscription.
    queueMicrotask(() => {
      if (!this.#isEnded) this.#stream.emitState(observer);
    });
  }

  get stream(): TopicStream {
    return this.#stream;
  }

  get position(): Position | undefined {
    const { state, continuity } = this.#stream;
    const isOtherLog = "epoch" in state && state.epoch !== this.#previousEnd?.epoch;
    return this.#previousEnd && !isOtherLog ? this.#previousEnd : continuity.position;
  }

  /**
   * Continues with the messages of another stream.
   *
   * @param mayRepeat - Whether they may start before the position of this observer.
   */
  moveTo(stream: TopicStream, mayRepeat: boolean): void {
    const { state, continuity, gapBefore } = this.#stream;
    this.#detach();
    this.#stream = stream;
    this.#previous = continuity;
    this.#previousEnd = mayRepeat ? continuity.position : undefined;
    this.#gapBefore = gapBefore;
    this.#detach = this.#attach(mayRepeat ? this.#withoutDuplicates() : this.#observer);
    if (stream.state.status !== state.status) stream.emitState(this.#observer);
  }

  /** Detaches the observer; returns false if it was already detached. */
  end(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#detach();
    return true;
  }

  #attach(observer: SubscriptionObserver): Undo {
    const stream = this.#stream;
    const stop = stream.add(observer);
    stream.handles.add(this);
    return () => {
      stop();
      stream.handles.delete(this);
    };
  }

  #withoutDuplicates(): SubscriptionObserver {
    const observer = this.#observer;
    const onMessage = (message: Message): void => {
      if (this.#isDuplicate(message)) return;
      const gapBefore = message.gapBefore ?? this.#gapBefore;
      this.#gapBefore = undefined;
      observer.onMessage(gapBefore ? withChanges(message, { gapBefore }) : message);
    };
    const onGap = (gap: Gap): void => {
      // The observer restarts like the others of the stream.
      if (gap.reason === "not-recovered") this.#previous = this.#previousEnd = undefined;
      observer.onGap?.(gap);
    };
    return { ...observer, onMessage, onGap };
  }

  #isDuplicate({ offset, id }: Message): boolean {
    const { state } = this.#stream;
    if (!this.#previous || !this.#previousEnd || !("epoch" in state)) return false;
    // Offsets of different logs are not comparable.
    if (state.epoch !== this.#previousEnd.epoch) return !this.#previous.remember(id);
    if (offset <= this.#previousEnd.offset) return true;
    this.#previous = this.#previousEnd = undefined;
    return false;
  }
}
