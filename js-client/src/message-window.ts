import type { Undo } from "./emitter.js";
import type { SluiceError } from "./errors.js";
import type { GapReason } from "./subscription-state.js";
import type { Message } from "./message.js";
import type { RenderPace } from "./render-pace.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";

/** Topics that the windows of one client share. */
export interface WindowFeeds {
  /** Pace at which all windows change. */
  readonly pace: RenderPace;
  /** Subscribes a window to a topic; the result ends that. */
  join(topic: string, options: SubscribeOptions, window: MessageWindow): Undo;
}

/** Tells which messages replace each other. */
export type KeyOf = (message: Message) => unknown;

/** Which messages a window holds: the latest, or the latest of each key. */
export interface Retention {
  /** At most so many. */
  readonly keep: number;
  readonly by: KeyOf | undefined;
}

/** What a window shows. It is never changed, and replaced at most once a frame. */
export interface WindowSnapshot {
  /** In the order in which they came. */
  readonly messages: readonly Message[];
  readonly state: SubscriptionState;
  /** Messages may be missing between those that are held, or behind the last of them. */
  readonly gap: Gap | undefined;
}

/** A message, and the how manyth of the window it was. */
interface Arrival {
  readonly message: Message;
  readonly number: number;
}

/** A snapshot before anything has come. */
export const EMPTY: WindowSnapshot = {
  messages: [],
  state: { status: "pending" },
  gap: undefined,
};

/** After these the newest messages come again, and what stood before them is of the past. */
const BEGINS_ANEW: readonly GapReason[] = ["not-recovered", "snapshot-cut"];

/** The error of a subscription that the node, or the client itself, has refused. */
export function errorOf(state: SubscriptionState): SluiceError | undefined {
  return state.status === "refused" ? state.error : undefined;
}

/**
 * The latest messages of a topic or pattern, as a store for React's useSyncExternalStore: it takes
 * messages at any rate, and its snapshot changes at most once a frame.
 */
export class MessageWindow {
  readonly #feeds: WindowFeeds;
  readonly #topic: string | undefined;
  readonly #options: SubscribeOptions;
  #retention: Retention;
  /** By key, or by number where there is none; oldest first. */
  readonly #held = new Map<unknown, Arrival>();
  #arrivals = 0;
  #gap: { readonly told: Gap; readonly after: number } | undefined;
  #beginsAnew = false;
  #state: SubscriptionState = EMPTY.state;
  #snapshot = EMPTY;
  #onChange: (() => void) | undefined;

  /** @param topic - Undefined: of none. */
  constructor(
    feeds: WindowFeeds,
    topic: string | undefined,
    options: SubscribeOptions,
    retention: Retention,
  ) {
    this.#feeds = feeds;
    this.#topic = topic;
    this.#options = options;
    this.#retention = retention;
  }

  /** For React: begins, and begins empty each time, because nobody knows what came meanwhile. */
  readonly subscribe = (onChange: () => void): Undo => {
    this.#clear();
    const leave =
      this.#topic === undefined ? undefined : this.#feeds.join(this.#topic, this.#options, this);
    // What is held already is in the snapshot at which React looks next.
    this.#show();
    this.#onChange = onChange;
    return () => {
      leave?.();
      this.#feeds.pace.cancel(this.#publish);
      this.#onChange = undefined;
    };
  };

  /** For React. */
  readonly snapshot = (): WindowSnapshot => this.#snapshot;

  /** How many messages it holds. */
  get size(): number {
    return this.#held.size;
  }

  /** Holds others from now on; the keys of those that are held stay. */
  retain(retention: Retention): void {
    this.#retention = retention;
    if (this.#trim()) this.#change();
  }

  /** Whether all that this one would hold of the past is held by the other one, as far as it goes. */
  canCopy(other: MessageWindow): boolean {
    const { keep, by } = this.#retention;
    return other.#retention.by === undefined || by !== undefined || keep === 1;
  }

  /** Begins with what another window of the same subscription holds. */
  copy(other: MessageWindow): void {
    let gap = other.#gap;
    for (const { message, number } of other.#held.values()) {
      if (gap && number > gap.after) {
        this.onGap(gap.told);
        gap = undefined;
      }
      this.onMessage(message);
    }
    if (gap) this.onGap(gap.told);
  }

  onMessage(message: Message): void {
    const { by } = this.#retention;
    // Of each key the newest replaces the one before; others would stand here twice.
    if (this.#beginsAnew && by === undefined) this.#held.clear();
    this.#beginsAnew = false;
    const number = ++this.#arrivals;
    const key = by === undefined ? number : by(message);
    this.#held.delete(key);
    this.#held.set(key, { message, number });
    this.#trim();
    this.#change();
  }

  onGap(told: Gap): void {
    this.#gap = { told, after: this.#arrivals };
    this.#beginsAnew = BEGINS_ANEW.includes(told.reason);
    this.#change();
  }

  onState(state: SubscriptionState): void {
    this.#state = state;
    this.#change();
  }

  #clear(): void {
    this.#held.clear();
    this.#arrivals = 0;
    this.#gap = undefined;
    this.#beginsAnew = false;
    this.#state = EMPTY.state;
  }

  /** Returns whether anything had to go. */
  #trim(): boolean {
    const before = this.#held.size;
    for (const key of this.#held.keys()) {
      if (this.#held.size <= this.#retention.keep) break;
      this.#held.delete(key);
    }
    return this.#held.size < before;
  }

  #change(): void {
    if (this.#onChange) this.#feeds.pace.request(this.#publish);
  }

  readonly #publish = (): void => {
    this.#show();
    this.#onChange?.();
  };

  #show(): void {
    if (this.#held.size === 0 && !this.#gap && this.#state === EMPTY.state) {
      this.#snapshot = EMPTY;
      return;
    }
    const messages = Array.from(this.#held.values(), ({ message }) => message);
    this.#snapshot = { messages, state: this.#state, gap: this.#standingGap() };
  }

  /** The gap, until all that is held is from behind it. */
  #standingGap(): Gap | undefined {
    if (!this.#gap) return undefined;
    const { told, after } = this.#gap;
    const [oldest] = this.#held.values();
    return this.#arrivals === after || (oldest && oldest.number <= after) ? told : undefined;
  }
}
