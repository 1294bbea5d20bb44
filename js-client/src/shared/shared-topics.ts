import type { NodeClock } from "../engine/clock.js";
import type { Hello } from "../engine/frames.js";
import { toMessage } from "../engine/message.js";
import {
  ObservedTopic,
  type Attachment,
  type SubscriptionListener,
} from "../engine/observed-topic.js";
import type { SubscriptionObserver } from "../engine/observer.js";
import { MAX_IDS, positionOf, type From, type Position } from "../engine/position.js";
import { RecentIds } from "../engine/recent-ids.js";
import {
  advancePosition,
  fromPlain,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import type { SubscribeSettings } from "../engine/subscribe-options.js";
import { pending, type GapReason } from "../engine/subscription-state.js";

/** Message from the worker about a topic. */
export type TopicMessage = Extract<
  WorkerMessage,
  { readonly type: "message" | "moved" | "gap" | "subscription-state" | "refused" }
>;

/** Receives messages for the worker, and events that concern no single observer. */
export interface TabTopicsListener extends SubscriptionListener {
  send(message: TabMessage): void;
}

/** Sender of the requests of a tab's subscriptions. */
interface TabTopicHost extends TabTopicsListener {
  readonly byId: Map<number, TabTopic>;
  /** Number of message identities that the node requires the client to remember. */
  overlap: number;
  nextId(): number;
}

/** Reasons after which messages are replayed that the tab may have received. */
const RESTART_REASONS: readonly GapReason[] = ["not-recovered", "snapshot-cut", "identity-changed"];

/** Returns the start, with the selector of a stored position, which the worker checks. */
function startOf({ from, where }: SubscribeSettings): From | undefined {
  const position = positionOf(from);
  return where !== undefined && position ? { ...position, where } : from;
}

/** Subscription of the worker, shared by observers of this tab with the same options. */
class TabTopic extends ObservedTopic {
  position: Position | undefined;
  hasNotified = false;
  readonly #host: TabTopicHost;
  readonly #clock: NodeClock;
  /** Identities of messages; a new worker has only those of the position. */
  readonly #recent = new RecentIds(MAX_IDS);
  /** Epoch at the latest message or gap. */
  #epoch: string | undefined;
  #id: number;
  #start: From | undefined;

  constructor(topic: string, settings: SubscribeSettings, clock: NodeClock, host: TabTopicHost) {
    super(topic, settings, host);
    this.#clock = clock;
    this.#host = host;
    this.#id = host.nextId();
    this.#start = startOf(settings);
    this.subscribe();
  }

  /** Requests the subscription at the worker, at its position if there is one. */
  subscribe(): void {
    const { topic, settings, position } = this;
    // Only a snapshot that has begun, or that follows a failed resume, leaves no position.
    const from = position ?? (this.hasNotified ? "snapshot" : this.#start);
    this.#host.byId.set(this.#id, this);
    this.#host.send({
      type: "subscribe",
      id: this.#id,
      topic,
      settings: { ...settings, from },
    });
  }

  /** Handles a message from the worker. */
  onWorkerMessage(message: TopicMessage): void {
    if (message.type === "message") {
      this.#onMessage(message);
      return;
    }
    if (message.type === "refused") {
      this.refuse(fromPlain(message.error));
      return;
    }
    this.position = message.position;
    if (message.type === "gap") {
      // Another stream may use the same identities.
      if (this.position?.epoch !== this.#epoch) this.#recent.clear();
      this.#epoch = this.position?.epoch;
      this.emitGap(message.gap.reason);
    }
    if (message.type !== "subscription-state") return;
    const { state } = message;
    const isRefused = state.status === "refused";
    this.setState(isRefused ? { ...state, error: fromPlain(state.error) } : state);
  }

  /** Handles the end of the worker. */
  onLost(): void {
    this.reset();
    // The new worker sends it from the start again, including messages that were already
    // delivered.
    if (this.hasNotified && !this.position) this.emitGap("snapshot-cut");
  }

  reset(): void {
    this.setState(pending);
  }

  override emitGap(reason: GapReason): void {
    // The positions of another subject are not used.
    const isRestart = reason === "identity-changed";
    if (RESTART_REASONS.includes(reason)) this.#recent.clear();
    if (isRestart && positionOf(this.#start)) this.#start = "snapshot";
    this.hasNotified = !isRestart;
    super.emitGap(reason);
  }

  /** Starts anew for another subject. */
  restart(): void {
    this.position = undefined;
    this.emitGap("identity-changed");
    this.renew();
  }

  override renew(): void {
    this.end();
    this.#id = this.#host.nextId();
    this.reset();
    this.subscribe();
  }

  protected override end(): void {
    this.#host.byId.delete(this.#id);
    this.#host.send({ type: "unsubscribe", id: this.#id });
  }

  #onMessage(update: Extract<TopicMessage, { readonly type: "message" }>): void {
    const { message, isOrdered } = update;
    this.position =
      "position" in update ? update.position : advancePosition(this.position, message, isOrdered);
    this.#epoch = this.position?.epoch;
    this.hasNotified = true;
    this.#recent.limit = Math.max(this.#recent.limit, this.#host.overlap);
    if (!this.#recent.add(message.id)) return;
    this.emitMessage(toMessage(this.#clock, message, message));
  }
}

/** All subscriptions of a tab. Each is one of the worker, which decides what they share. */
export class TabTopics {
  readonly #clock: NodeClock;
  readonly #host: TabTopicHost;
  readonly #byId = new Map<number, TabTopic>();
  #lastId = 0;

  constructor(clock: NodeClock, listener: TabTopicsListener) {
    this.#clock = clock;
    const nextId = (): number => ++this.#lastId;
    this.#host = { ...listener, byId: this.#byId, overlap: MAX_IDS, nextId };
  }

  /** Handles the hello of a session. */
  onHello({ limits }: Hello): void {
    this.#host.overlap = limits.overlap;
  }

  /**
   * Adds an observer. Subscribes at the worker if it cannot share a subscription, or if the node
   * had refused that one.
   */
  add(topic: string, observer: SubscriptionObserver, settings: SubscribeSettings): Attachment {
    const found = this.#all.find((other) => other.canShare(topic, settings));
    return (found ?? new TabTopic(topic, settings, this.#clock, this.#host)).add(observer);
  }

  /** Handles a message from the worker; its topic may have been removed. */
  onWorkerMessage(message: TopicMessage): void {
    this.#byId.get(message.id)?.onWorkerMessage(message);
  }

  /** Handles the end of the worker. */
  onLost(): void {
    for (const topic of this.#all) topic.onLost();
  }

  /** Starts all subscriptions anew for another subject. */
  restart(): void {
    for (const topic of this.#all) topic.restart();
  }

  /** Subscribes to all topics again, at their positions. */
  subscribeAll(): void {
    for (const topic of this.#all) topic.subscribe();
  }

  /** Handles the end of the client. */
  onClosed(): void {
    const all = this.#all;
    this.#byId.clear();
    for (const topic of all) topic.reset();
  }

  get #all(): readonly TabTopic[] {
    return [...this.#byId.values()];
  }
}
