// Types only: shared code would become a third file in a page's own build.
import type { Continuity } from "./continuity.js";
import type { Message, withChanges } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { Gap, GapReason } from "./subscription-state.js";
import type { MovableHandle, TopicStream } from "./topic-stream.js";
import type { TopicSubscription } from "./topic-subscription.js";

/**
 * Merges a side stream whose replay is complete, and requests the next one. Without observers of
 * the main stream, a side stream becomes the main one.
 */
export function advance(subscription: TopicSubscription, change: typeof withChanges): void {
  const { active, main, requested } = subscription;
  if (main.handles.size === 0) {
    promote(subscription, change);
    return;
  }
  if (!active || active !== requested || active.continuity.isReplaying) return;
  if (active !== main) merge(subscription, active, change);
  const { nextSideStream } = subscription;
  if (nextSideStream && subscription.active === main) subscription.subscribe(nextSideStream);
}

/** Merges a side stream into the main stream. */
function merge(
  subscription: TopicSubscription,
  stream: TopicStream,
  change: typeof withChanges,
): void {
  const { main } = subscription;
  remove(subscription, stream);
  // A gap reported only to the side stream may affect all observers.
  const mayRepeat = stream.gapBefore !== undefined || !isAtSameOffset(main, stream);
  if (mayRepeat) subscription.subscribe(main);
  else subscription.active = subscription.requested = main;
  for (const handle of stream.handles) moveTo(handle, main, mayRepeat && change);
}

/** Makes a side stream the main one. */
function promote(subscription: TopicSubscription, change: typeof withChanges): void {
  const { main, requested, sideStreams } = subscription;
  const successor = requested === main ? sideStreams[0] : requested;
  if (!successor) return;
  if (subscription.active === main) subscription.active = undefined;
  remove(subscription, successor);
  subscription.main = successor;
  successor.reset();
  if (successor === requested) advance(subscription, change);
  else subscription.subscribe(successor);
}

function remove(subscription: TopicSubscription, stream: TopicStream): void {
  subscription.sideStreams = subscription.sideStreams.filter((other) => other !== stream);
}

/** Returns whether both streams have reached the same offset of the same log. */
function isAtSameOffset(one: TopicStream, other: TopicStream): boolean {
  const { position } = one.continuity;
  const { epoch, offset } = other.continuity.position ?? {};
  return position?.epoch === epoch && position?.offset === offset;
}

/**
 * Continues with the messages of another stream.
 *
 * @param change - Returns a changed message; false unless they may start before the position of this
 *   observer.
 */
function moveTo(
  handle: MovableHandle,
  stream: TopicStream,
  change: typeof withChanges | false,
): void {
  const previous = handle.stream;
  const { observer } = handle;
  handle.detach();
  handle.stream = stream;
  handle.attach(change ? withoutDuplicates(handle, previous, change) : observer);
  if (stream.state.status !== previous.state.status) stream.emitState(observer);
}

/** Returns the observer without messages of the previous stream. */
function withoutDuplicates(
  handle: MovableHandle,
  previous: TopicStream,
  change: typeof withChanges,
): SubscriptionObserver {
  const { observer } = handle;
  const overlap = new Overlap(handle, previous.continuity);
  /** Gap of the previous stream that precedes the next message. */
  let { gapBefore: gap } = previous;
  const onMessage = (message: Message): void => {
    if (overlap.has(message)) return;
    const gapBefore: GapReason | undefined = message.gapBefore ?? gap;
    gap = undefined;
    observer.onMessage(gapBefore ? change(message, { gapBefore }) : message);
  };
  const onGap = (reported: Gap): void => {
    // The observer restarts like the others of the stream.
    if (reported.reason === "not-recovered") overlap.end();
    observer.onGap?.(reported);
  };
  return { ...observer, onMessage, onGap };
}

/** Messages of the previous stream that the current one of an observer may repeat. */
class Overlap {
  readonly #handle: MovableHandle;
  readonly #previous: Continuity;
  #last: Position | undefined;

  constructor(handle: MovableHandle, previous: Continuity) {
    this.#handle = handle;
    this.#previous = previous;
    this.#last = previous.position;
    handle.previousEnd = () => (this.#isOtherLog() ? undefined : this.#last);
  }

  /** Returns whether the previous stream has delivered the message. */
  has({ offset, id }: Message): boolean {
    if (!this.#last || !("epoch" in this.#handle.stream.state)) return false;
    // Offsets of different logs are not comparable.
    if (this.#isOtherLog()) return !this.#previous.remember(id);
    if (offset <= this.#last.offset) return true;
    this.end();
    return false;
  }

  /** Ends the overlap: the observer has reached new messages. */
  end(): void {
    this.#last = undefined;
  }

  #isOtherLog(): boolean {
    const { state } = this.#handle.stream;
    return "epoch" in state && state.epoch !== this.#last?.epoch;
  }
}
