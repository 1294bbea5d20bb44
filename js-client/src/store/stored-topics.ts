import type { NodeClock } from "../engine/clock.js";
import { toMessage, type Message, type MessageFrame } from "../engine/message.js";
import {
  ObservedTopic,
  type Attachment,
  type SubscriptionListener,
} from "../engine/observed-topic.js";
import type { SubscriptionObserver } from "../engine/observer.js";
import { toFrom, type Position } from "../engine/position.js";
import { shareKey, type SubscribeSettings } from "../engine/subscribe-options.js";
import { pending, type GapReason } from "../engine/subscription-state.js";
import {
  sizeOf,
  type Arrival,
  type StoreBounds,
  type StoredEvent,
  type StoredStream,
  type StreamEnd,
} from "./database.js";
import type { AddObserver } from "./message-store.js";

/** Database and lock of a store, as used by its topics. */
export interface TopicStore {
  read(stream: string): Promise<StoredStream>;
  end(stream: string): Promise<StreamEnd | undefined>;
  append(stream: string, arrivals: readonly Arrival[]): Promise<void>;
  /** Bounds of a stream; waiting events beyond them would be removed at once. */
  readonly bounds: StoreBounds;
  /** Resolves when no other page writes to the store. */
  readonly writing: Promise<void>;
  /** Reports that messages are not stored. */
  onFailure(cause: unknown, topic: string): void;
}

/** Parts of the client that a topic uses. */
export interface TopicHost {
  readonly clock: NodeClock;
  readonly listener: SubscriptionListener;
  readonly add: AddObserver;
  readonly store: TopicStore;
  readonly remove: (topic: StoredTopic) => void;
}

/**
 * Subscription whose messages are stored: its observers receive the stored ones first, then those
 * since the stored position. A page that does not write keeps its latest events, in case the
 * writing page ends before it has stored them.
 */
export class StoredTopic extends ObservedTopic {
  position: Position | undefined;
  hasNotified = false;
  readonly stream: string;
  readonly #host: TopicHost;
  #live: Attachment | undefined;
  #isEnded = false;
  /** False once another subject has received messages. */
  #isStored = true;
  /** Events that are not known to be stored. */
  #waiting: Arrival[] = [];
  #waitingBytes = 0;
  /** Events before the waiting ones are missing. */
  #isCut = false;
  /** Position from which this page has continued. */
  #base: string | undefined;
  #isWriting = false;
  #isWriter = false;
  #gapBefore: GapReason | undefined;
  /** Identities of the stored messages, which a replay may repeat. */
  readonly #shown = new Set<string>();

  constructor(topic: string, settings: SubscribeSettings, host: TopicHost) {
    const { listener } = host;
    super(topic, settings, {
      // The live subscription reports its gaps to the client.
      onGap: () => undefined,
      onError: (error) => {
        listener.onError(error);
      },
      onHandlerThrew: (thrown) => {
        listener.onHandlerThrew(thrown, topic);
      },
    });
    this.#host = host;
    this.stream = shareKey(topic, settings);
    void this.#start();
  }

  /** An observer with another start has a subscription without the store. */
  override canShare(topic: string, settings: SubscribeSettings): boolean {
    return shareKey(topic, settings) === this.stream && (!settings.from || !this.hasNotified);
  }

  override renew(): void {
    this.setState(pending);
    this.#live?.end();
    this.#open();
  }

  /** Starts anew for another subject, without what the previous one has received. */
  restart(): void {
    this.#take();
    this.#isCut = false;
    this.position = undefined;
    this.emitGap("identity-changed");
    this.renew();
  }

  /** Stores nothing from now on: the messages are those of another user. */
  detach(): void {
    this.#isStored = false;
    this.#take();
  }

  protected override end(): void {
    this.#isEnded = true;
    this.#live?.end();
    this.#host.remove(this);
    void this.#write();
  }

  override emitGap(reason: GapReason): void {
    this.#gapBefore = reason;
    this.hasNotified = true;
    super.emitGap(reason);
  }

  async #start(): Promise<void> {
    const { store } = this.#host;
    try {
      const { events, position } = await store.read(this.stream);
      this.position = position;
      for (const event of events) if (!this.#isEnded) this.#replay(event);
    } catch (cause) {
      store.onFailure(cause, this.topic);
    }
    this.#base = JSON.stringify(this.position);
    if (!this.#isEnded) this.#open();
    await store.writing;
    await this.#takeOver();
  }

  #replay(event: StoredEvent): void {
    if ("gap" in event) {
      this.emitGap(event.gap);
      return;
    }
    this.#shown.add(event.id);
    const context = { replayed: true, stored: true, gapBefore: this.#gapBefore };
    this.#deliver(toMessage(this.#host.clock, event, context));
  }

  #deliver(message: Message): void {
    this.#gapBefore = undefined;
    this.hasNotified = true;
    this.emitMessage(message);
  }

  #open(): void {
    const { settings, position } = this;
    const observer: SubscriptionObserver = {
      onMessage: (message) => {
        // Another node may repeat older messages than the position has identities of.
        if (!message.replayed) this.#shown.clear();
        else if (this.#shown.has(message.id)) return;
        this.#arrive(toFrame(message));
        this.#deliver(message);
      },
      onGap: ({ reason }) => {
        this.#shown.clear();
        if (reason === "identity-changed") this.detach();
        this.#arrive({ gap: reason });
        this.emitGap(reason);
      },
      onState: (state) => {
        this.setState(state);
      },
      onError: (error) => {
        this.refuse(error);
      },
    };
    try {
      const from = position ? toFrom(position, settings.where) : settings.from;
      this.#live = this.#host.add(this.topic, observer, { ...settings, from });
    } catch {
      // The client was closed while the stored messages were being read.
    }
  }

  #arrive(event: StoredEvent): void {
    this.position = this.#live?.source.position;
    if (!this.#isStored) return;
    const bytes = sizeOf(event);
    this.#waiting.push({ event, bytes, position: this.position });
    this.#waitingBytes += bytes;
    const { bounds } = this.#host.store;
    while (this.#waiting.length > bounds.messages || this.#waitingBytes > bounds.bytes) {
      this.#isCut = true;
      this.#waitingBytes -= this.#waiting.shift()?.bytes ?? 0;
    }
    void this.#write();
  }

  /** Becomes the topic that writes: continues after the last event that another page has stored. */
  async #takeOver(): Promise<void> {
    const { store } = this.#host;
    try {
      const end = await store.end(this.stream);
      const isLast = ({ event }: Arrival): boolean => "id" in event && event.id === end?.lastId;
      const last = this.#waiting.map(isLast).lastIndexOf(true);
      for (const { bytes } of this.#waiting.splice(0, last + 1)) this.#waitingBytes -= bytes;
      this.#isCut &&= last < 0;
      this.#isCut ||= last < 0 && JSON.stringify(end?.position) !== this.#base;
    } catch (cause) {
      store.onFailure(cause, this.topic);
    }
    this.#isWriter = true;
    await this.#write();
  }

  /** Stores the waiting events; those that arrive during this time form the next transaction. */
  async #write(): Promise<void> {
    if (!this.#isWriter || this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const gap: StoredEvent = { gap: "buffer-full" };
      const cut: Arrival[] = this.#isCut ? [{ event: gap, bytes: sizeOf(gap) }] : [];
      const arrivals = cut.concat(this.#take());
      this.#isCut = false;
      try {
        await this.#host.store.append(this.stream, arrivals);
      } catch (cause) {
        this.#isCut = true;
        this.#host.store.onFailure(cause, this.topic);
      }
    }
    this.#isWriting = false;
  }

  /** Removes the waiting events and returns them. */
  #take(): Arrival[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return taken;
  }
}

function toFrame(message: Message): MessageFrame {
  const { topic, pattern, offset, id, time, properties, removed, kind, payload } = message;
  const frame = { topic, pattern, offset, id, time, properties, removed, kind, payload };
  return frame as MessageFrame;
}
