import type { NodeClock } from "./clock.js";
import { SluiceError } from "./errors.js";
import { TopicStream, type SubscriptionListener } from "./topic-stream.js";
import type { GapFrame, Subscribed } from "./frames.js";
import { withChanges, type MessageFrame } from "./message.js";
import type { EngineObserver, Subscription } from "./observer.js";
import type { From, Position } from "./position.js";
import { SubscriptionHandle } from "./subscription-handle.js";
import { checkDelivery, type SubscribeSettings } from "./subscribe-options.js";
import type { SubscriptionState } from "./subscription-state.js";

/** Phase of subscriptions: none, some being opened, or all live. */
export type SubscriptionPhase = "none" | "opening" | "live";

/** Sender of a topic's requests. */
export interface SubscriptionHost {
  /** Sends a subscribe; returns its number, or undefined if it has to be sent when a link opens. */
  subscribe(from: From | undefined): number | undefined;
  /** Ends the subscription of this number, or withdraws its request. */
  unsubscribe(ref: number): void;
  /** Called when the last observer is removed. */
  onEmpty(): void;
}

/** Code for side streams, once it is loaded. */
let sideStreams: typeof import("./side-streams.js") | undefined;

/** Loads the code for side streams. */
export async function loadSideStreams(): Promise<void> {
  sideStreams = await import("./side-streams.js");
}

/**
 * Subscription to one topic or pattern, shared by all of its local observers.
 *
 * A node accepts one subscription per topic and connection. Observers that join later with another
 * start get a side stream. One side stream at a time replaces the main stream at the node until its
 * replay is complete. Then the main stream is requested again for the messages published since.
 * Usually there are none; then all observers continue with the current stream. The code for this is
 * loaded for the first side stream.
 */
export class TopicSubscription {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly #clock: NodeClock;
  readonly #host: SubscriptionHost;
  readonly #listener: SubscriptionListener;
  /** Stream of the observers that need no side stream, or whose side stream has been merged. */
  main: TopicStream;
  /** Side streams in order of arrival. A refused one waits for the next connection or handler. */
  sideStreams: readonly TopicStream[];
  /** Stream that was last requested from the node, or is to be requested. */
  requested: TopicStream;
  /** Stream whose messages arrive; others belong to an earlier request that is being ended. */
  active: TopicStream | undefined;
  /** Number of the active subscribe. */
  #ref: number | undefined;

  constructor(
    topic: string,
    settings: SubscribeSettings,
    clock: NodeClock,
    host: SubscriptionHost,
    listener: SubscriptionListener,
  ) {
    this.topic = topic;
    this.settings = settings;
    this.#clock = clock;
    this.#host = host;
    this.#listener = listener;
    this.sideStreams = [];
    this.main = this.requested = this.#createStream(settings);
  }

  /**
   * Adds an observer; repeats the request if the node had refused it.
   *
   * @param signal - Signal that may end the subscription; its listener is removed when the
   *   subscription ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or
   *   `rate`
   */
  add(observer: EngineObserver, settings: SubscribeSettings, signal?: AbortSignal): Subscription {
    checkDelivery(this.settings, settings);
    const isRefused = this.main.isRefused;
    this.reset();
    const handle = new SubscriptionHandle(observer, this.#streamFor(settings));
    if (isRefused) this.subscribe(this.main);
    else this.#advance();
    const undo = (): void => {
      signal?.removeEventListener("abort", undo);
      if (!handle.end()) return;
      observer.onEnd?.();
      this.#onHandleEnded(handle.stream);
    };
    const { where } = this.settings;
    return Object.defineProperties(undo, {
      position: {
        get: (): Position | undefined => {
          const { position } = handle;
          return position && where ? { ...position, where } : position;
        },
      },
      state: { get: (): SubscriptionState => handle.stream.state },
    }) as Subscription;
  }

  /** True if a request was sent on the link. */
  get isRequested(): boolean {
    return this.#ref !== undefined;
  }

  /** True if the node has refused the main stream. */
  get isRefused(): boolean {
    return this.main.isRefused;
  }

  /**
   * Stream that another link can continue; undefined while a replay or a side stream is pending.
   */
  get resumable(): TopicStream | undefined {
    const main = this.main;
    const hasSideStream = this.requested !== main || this.nextSideStream !== undefined;
    // Requests that the link could not send wait for another link.
    const isBusy = this.#ref !== undefined && (main.continuity.isReplaying || hasSideStream);
    return isBusy || main.isRefused ? undefined : main;
  }

  get phase(): SubscriptionPhase {
    const stream = this.active;
    if (this.#ref !== undefined && stream !== this.requested) return "opening";
    if (!stream) return "none";
    return stream.continuity.isReplaying ? "opening" : "live";
  }

  /**
   * Sends the request on a link that has opened or is renewed.
   *
   * @param ref - Number of a request that was already sent.
   */
  onOpen(ref?: number): void {
    this.#clearRequest();
    if (ref !== undefined) {
      this.#ref = ref;
      this.main.continuity.onSubscribe();
    } else if (!this.requested.isRefused) {
      // A stream that was refused before the renewal would be refused again.
      this.subscribe(this.requested);
    }
  }

  /** Resets refused streams, which are then requested from the next node. */
  reset(): void {
    for (const stream of this.#streams()) stream.reset();
  }

  /** Handles the loss of the link; see {@link Subscriptions.onLost}. */
  onLost(isRenewed: boolean): void {
    this.#clearRequest();
    // The main stream must not wait longer for a side stream than for the connection.
    this.requested = this.main;
    if (isRenewed) return;
    for (const stream of this.#streams()) stream.apply({ type: "requested" });
  }

  onSubscribed(frame: Subscribed, overlap: number): void {
    const { epoch, offset } = frame;
    const stream = this.requested;
    this.active = stream;
    const gap = stream.continuity.onSubscribed(frame, overlap);
    stream.apply({ type: "answered", epoch, offset, gap });
    if (gap) stream.emitGap(gap);
    this.#advance();
  }

  /** Handles a refusal, or the end of a subscription by the node. */
  onRefused(error: SluiceError): void {
    const stream = this.requested;
    this.#clearRequest();
    if (stream !== this.main) this.subscribe(this.main);
    this.#refuse(stream === this.main ? [...this.sideStreams, stream] : [stream], error);
  }

  onGap(frame: GapFrame): void {
    const stream = this.active;
    stream?.continuity.onGap(frame);
    stream?.onGap(frame.reason);
    sideStreams?.advance(this, withChanges);
  }

  /**
   * Reports a possible gap: a frame that could not be parsed may have been a message of this topic.
   */
  onBadFrame(): void {
    this.active?.onGap("missing");
  }

  onCaughtUp(time: number): void {
    // While a side stream is requested, messages of the main stream may be dropped.
    if (this.active === this.requested) this.active.continuity.onCaughtUp(time);
  }

  onMessage(frame: MessageFrame): void {
    this.active?.deliver(this.#clock, frame);
    if (this.sideStreams.length > 0) sideStreams?.advance(this, withChanges);
  }

  /** Returns the full offset of a message from its low 32 bits. */
  wholeOffset(low: number): number {
    return this.active?.continuity.wholeOffset(low) ?? low;
  }

  #createStream(settings: SubscribeSettings): TopicStream {
    return new TopicStream(this.topic, settings, this.#listener);
  }

  #streams(): readonly TopicStream[] {
    return [this.main, ...this.sideStreams];
  }

  /** Side stream to be requested next. */
  get nextSideStream(): TopicStream | undefined {
    return this.sideStreams.find((stream) => !stream.isRefused);
  }

  /** Requests this stream from the node instead of the previous one. */
  subscribe(stream: TopicStream): void {
    // Messages that still arrive from the old request are repeated by the new one.
    if (stream === this.main) this.active = undefined;
    if (this.#ref !== undefined) this.#host.unsubscribe(this.#ref);
    this.requested = stream;
    this.#ref = this.#host.subscribe(stream.continuity.onSubscribe());
  }

  #streamFor(settings: SubscribeSettings): TopicStream {
    if (settings.from === undefined) return this.main;
    const found = this.#streams().find((stream) => stream.canJoin(settings));
    if (found) return found;
    const stream = this.#createStream({ ...settings, delivery: this.settings.delivery });
    this.sideStreams = [...this.sideStreams, stream];
    return stream;
  }

  #clearRequest(): void {
    this.active = undefined;
    this.#ref = undefined;
  }

  /** Continues with the side streams, whose code is loaded before. */
  #advance(): void {
    if (this.sideStreams.length === 0) return;
    if (sideStreams) {
      sideStreams.advance(this, withChanges);
      return;
    }
    loadSideStreams().then(
      () => {
        this.#advance();
      },
      (cause: unknown) => {
        const error = new SluiceError("not-sent", "cannot load side-streams.js", this.topic, cause);
        this.#refuse(this.sideStreams, error);
      },
    );
  }

  #refuse(streams: readonly TopicStream[], error: SluiceError): void {
    for (const stream of streams) {
      if (!stream.isRefused) stream.refuse(error);
    }
  }

  /** Handles the removal of an observer. */
  #onHandleEnded(stream: TopicStream): void {
    if (stream.handles.size > 0) return;
    this.sideStreams = this.sideStreams.filter((other) => other !== stream);
    if (this.sideStreams.length + this.main.handles.size === 0) {
      if (this.#ref !== undefined) this.#host.unsubscribe(this.#ref);
      this.#clearRequest();
      this.#host.onEmpty();
    } else if (stream === this.main) this.#advance();
    else if (stream === this.requested) this.subscribe(this.main);
  }
}
