import type { Undo } from "../engine/emitter.js";
import type { SluiceError } from "../engine/errors.js";
import type { GapReason } from "../engine/subscription-state.js";
import type { Message } from "../engine/message.js";
import type { RenderScheduler } from "./render-scheduler.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";
import type { Gap, SubscriptionState } from "../engine/subscription-state.js";

/** Shared subscriptions of the windows of one client. */
export interface TopicSource {
  /** Scheduler that updates all windows in the same frame. */
  readonly scheduler: RenderScheduler;
  /** Subscribes a window to a topic; the returned function ends that. */
  join(topic: string, options: SubscribeOptions, window: MessageWindow): Undo;
}

/** Returns the key of a message; a message replaces the previous one with the same key. */
export type KeyOf = (message: Message) => unknown;

/** Retention of a window: the latest messages, or the latest message of each key. */
export interface Retention {
  /** Maximum number of messages. */
  readonly keep: number;
  readonly by: KeyOf | undefined;
}

/** Immutable content of a window, replaced at most once a frame. */
export interface WindowSnapshot {
  /** Messages in the order of arrival; with keys in the order of the keys' first appearance. */
  readonly messages: readonly Message[];
  /** Message that has arrived last; undefined before the first one. */
  readonly newest: Message | undefined;
  readonly state: SubscriptionState;
  /** Error of a refused subscription, or of an invalid payload after the last message. */
  readonly error: SluiceError | undefined;
  /** Gap between the retained messages or after the last one. */
  readonly gap: Gap | undefined;
}

/** Message with its sequence number in the window. */
interface Arrival {
  readonly message: Message;
  readonly number: number;
}

/** Snapshot before the first message. */
export const EMPTY: WindowSnapshot = {
  messages: [],
  newest: undefined,
  state: { status: "pending" },
  error: undefined,
  gap: undefined,
};

/** Reasons after which the newest messages are replayed, which makes older ones obsolete. */
const RESTART_REASONS: readonly GapReason[] = ["not-recovered", "snapshot-cut"];

/**
 * Store of the latest messages of a topic or pattern for React's useSyncExternalStore. It accepts
 * messages at any rate; its snapshot changes at most once a frame.
 */
export class MessageWindow {
  readonly #topics: TopicSource;
  readonly #topic: string | undefined;
  readonly #options: SubscribeOptions;
  #retention: Retention;
  /**
   * Retained messages by key, or by sequence number if there is no key; in the order of the key's
   * first appearance.
   */
  readonly #messages = new Map<unknown, Arrival>();
  /** Keys of the retained messages, the one of the oldest message first. */
  readonly #keys = new Set<unknown>();
  #arrivals = 0;
  #gap: { readonly gap: Gap; readonly after: number } | undefined;
  #isRestarting = false;
  /** Error of an invalid payload after the last message. */
  #payloadError: SluiceError | undefined;
  #state: SubscriptionState = EMPTY.state;
  #snapshot = EMPTY;
  #onChange: (() => void) | undefined;

  /** @param topic - Undefined for no topic. */
  constructor(
    topics: TopicSource,
    topic: string | undefined,
    options: SubscribeOptions,
    retention: Retention,
  ) {
    this.#topics = topics;
    this.#topic = topic;
    this.#options = options;
    this.#retention = retention;
  }

  /**
   * Subscribes a component, for React. The window starts empty each time, as it may have missed
   * messages.
   */
  readonly subscribe = (onChange: () => void): Undo => {
    this.#clear();
    const leave =
      this.#topic === undefined ? undefined : this.#topics.join(this.#topic, this.#options, this);
    // React reads the snapshot next, so it must have what was copied.
    this.#updateSnapshot();
    this.#onChange = onChange;
    return () => {
      leave?.();
      this.#topics.scheduler.cancel(this.#publish);
      this.#onChange = undefined;
    };
  };

  /** Returns the current snapshot, for React. */
  readonly snapshot = (): WindowSnapshot => this.#snapshot;

  /** Number of retained messages. */
  get size(): number {
    return this.#messages.size;
  }

  /** Changes the retention; the keys of retained messages remain. */
  retain(retention: Retention): void {
    this.#retention = retention;
    if (this.#trim()) this.#scheduleUpdate();
  }

  /** Returns whether another window retains all messages that this one would retain. */
  canCopy(other: MessageWindow): boolean {
    const { keep, by } = this.#retention;
    return other.#retention.by === undefined || by !== undefined || keep === 1;
  }

  /** Copies the content of another window of the same subscription. */
  copy(other: MessageWindow): void {
    const { by } = this.#retention;
    const byArrival = [...other.#keys].flatMap((key) => other.#messages.get(key) ?? []);
    // The order of the keys' first appearance is copied too.
    for (const arrival of by ? other.#messages.values() : []) {
      this.#messages.set(by?.(arrival.message), arrival);
    }
    for (const arrival of byArrival) this.#retain(arrival);
    this.#arrivals = other.#arrivals;
    this.#gap = other.#gap;
    this.#payloadError = other.#payloadError;
    this.#isRestarting = other.#isRestarting;
    this.#trim();
    this.#scheduleUpdate();
  }

  onMessage(message: Message): void {
    const { by } = this.#retention;
    // With keys the newest message replaces the previous one; without keys messages would be
    // duplicated.
    if (this.#isRestarting && by === undefined) this.#clearMessages();
    this.#isRestarting = false;
    this.#payloadError = undefined;
    this.#retain({ message, number: ++this.#arrivals });
    this.#trim();
    this.#scheduleUpdate();
  }

  onGap(gap: Gap): void {
    if (gap.reason === "identity-changed") this.#clear();
    this.#gap = { gap, after: this.#arrivals };
    this.#isRestarting = RESTART_REASONS.includes(gap.reason);
    this.#scheduleUpdate();
  }

  onPayloadError(error: SluiceError): void {
    this.#payloadError = error;
    this.#scheduleUpdate();
  }

  onState(state: SubscriptionState): void {
    this.#state = state;
    this.#scheduleUpdate();
  }

  /** Replaces the message of a key, which keeps its place. */
  #retain(arrival: Arrival): void {
    const { by } = this.#retention;
    const key = by === undefined ? arrival.number : by(arrival.message);
    this.#messages.set(key, arrival);
    this.#keys.delete(key);
    this.#keys.add(key);
  }

  #clearMessages(): void {
    this.#messages.clear();
    this.#keys.clear();
  }

  #clear(): void {
    this.#clearMessages();
    this.#arrivals = 0;
    this.#gap = this.#payloadError = undefined;
    this.#isRestarting = false;
    this.#state = EMPTY.state;
  }

  /** Removes the oldest messages above the limit; returns whether there were any. */
  #trim(): boolean {
    const before = this.#messages.size;
    for (const key of this.#keys) {
      if (this.#messages.size <= this.#retention.keep) break;
      this.#messages.delete(key);
      this.#keys.delete(key);
    }
    return this.#messages.size < before;
  }

  #scheduleUpdate(): void {
    if (this.#onChange) this.#topics.scheduler.request(this.#publish);
  }

  readonly #publish = (): void => {
    this.#updateSnapshot();
    this.#onChange?.();
  };

  #updateSnapshot(): void {
    const state = this.#state;
    const error = state.status === "refused" ? state.error : this.#payloadError;
    if (this.#messages.size === 0 && !this.#gap && !error && state === EMPTY.state) {
      this.#snapshot = EMPTY;
      return;
    }
    const arrivals = [...this.#messages.values()];
    const newest = arrivals.find(({ number }) => number === this.#arrivals)?.message;
    const messages = arrivals.map(({ message }) => message);
    this.#snapshot = { messages, newest, state, error, gap: this.#visibleGap() };
  }

  /** Returns the gap until all retained messages are newer than it. */
  #visibleGap(): Gap | undefined {
    if (!this.#gap) return undefined;
    const { gap, after } = this.#gap;
    const [key] = this.#keys;
    const oldest = this.#messages.get(key);
    return this.#arrivals === after || (oldest && oldest.number <= after) ? gap : undefined;
  }
}
