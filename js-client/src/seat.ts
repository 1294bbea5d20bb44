import type { Continuity } from "./continuity.js";
import type { Undo } from "./emitter.js";
import type { Feed } from "./feed.js";
import { withChanges, type Message } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import { pending, type Gap, type GapReason } from "./subscription-state.js";

/** The place of one observer at a feed, from which it may move to another one of the same topic. */
export class Seat {
  readonly #observer: SubscriptionObserver;
  #feed: Feed;
  #leave: Undo;
  #hasLeft = false;
  /** What it has had at the feed before, and where that ended, as long as it may come again. */
  #had: Continuity | undefined;
  #end: Position | undefined;
  /** Of which the feed does not know. */
  #gapBefore: GapReason | undefined;

  constructor(observer: SubscriptionObserver, feed: Feed) {
    this.#observer = observer;
    this.#feed = feed;
    this.#leave = this.#sit(observer);
    if (feed.state === pending) return;
    // Not within subscribe, whose caller does not hold the undo yet.
    queueMicrotask(() => {
      if (!this.#hasLeft) this.#feed.tellState(observer);
    });
  }

  get feed(): Feed {
    return this.#feed;
  }

  get position(): Position | undefined {
    const { state, continuity } = this.#feed;
    const isElsewhere = "epoch" in state && state.epoch !== this.#end?.epoch;
    return this.#end && !isElsewhere ? this.#end : continuity.position;
  }

  /**
   * Goes on with the messages of another feed.
   *
   * @param isBehind - They may begin before the place to which this observer has come.
   */
  moveTo(feed: Feed, isBehind: boolean): void {
    const { state, continuity, gapBefore } = this.#feed;
    this.#leave();
    this.#feed = feed;
    this.#had = continuity;
    this.#end = isBehind ? continuity.position : undefined;
    this.#gapBefore = gapBefore;
    this.#leave = this.#sit(isBehind ? this.#withoutRepeats() : this.#observer);
    if (feed.state.status !== state.status) feed.tellState(this.#observer);
  }

  /** Hears nothing any more; returns false if it was so already. */
  leave(): boolean {
    if (this.#hasLeft) return false;
    this.#hasLeft = true;
    this.#leave();
    return true;
  }

  #sit(observer: SubscriptionObserver): Undo {
    const feed = this.#feed;
    const stop = feed.listen(observer);
    feed.seats.add(this);
    return () => {
      stop();
      feed.seats.delete(this);
    };
  }

  #withoutRepeats(): SubscriptionObserver {
    const observer = this.#observer;
    const onMessage = (message: Message): void => {
      if (this.#isRepeat(message)) return;
      const gapBefore = message.gapBefore ?? this.#gapBefore;
      this.#gapBefore = undefined;
      observer.onMessage(gapBefore ? withChanges(message, { gapBefore }) : message);
    };
    const onGap = (gap: Gap): void => {
      // It begins anew like the others.
      if (gap.reason === "not-recovered") this.#had = this.#end = undefined;
      observer.onGap?.(gap);
    };
    return { ...observer, onMessage, onGap };
  }

  #isRepeat({ offset, id }: Message): boolean {
    const { state } = this.#feed;
    if (!this.#had || !this.#end || !("epoch" in state)) return false;
    // Numbers of another node say nothing.
    if (state.epoch !== this.#end.epoch) return !this.#had.remember(id);
    if (offset <= this.#end.offset) return true;
    this.#had = this.#end = undefined;
    return false;
  }
}
