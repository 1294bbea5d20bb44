import type { NodeClock } from "./clock.js";
import type { SluiceError } from "./errors.js";
import { TopicStream, type SubscriptionListener } from "./topic-stream.js";
import type { GapFrame, Subscribed } from "./frames.js";
import type { MessageFrame } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
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

/**
 * Subscription to one topic or pattern, shared by all of its local observers.
 *
 * A node accepts one subscription per topic and connection. Observers that join later with another
 * start get a side stream. One side stream at a time replaces the main stream at the node until its
 * replay is complete. Then the main stream is requested again for the messages published since.
 * Usually there are none; then all observers continue with the current stream.
 */
export class TopicSubscription {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly #clock: NodeClock;
  readonly #host: SubscriptionHost;
  readonly #listener: SubscriptionListener;
  /** Stream of the observers that need no side stream, or whose side stream has been merged. */
  #main: TopicStream;
  /** Side streams in order of arrival. A refused one waits for the next connection or handler. */
  #sideStreams: readonly TopicStream[] = [];
  /** Stream that was last requested from the node, or is to be requested. */
  #requested: TopicStream;
  /** Stream whose messages arrive; others belong to an earlier request that is being ended. */
  #active: TopicStream | undefined;
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
    this.#main = this.#createStream(settings);
    this.#requested = this.#main;
  }

  /**
   * Adds an observer; repeats the request if the node had refused it.
   *
   * @param signal - Signal that may end the subscription; its listener is removed when the
   *   subscription ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or
   *   `rate`
   */
  add(
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
    signal?: AbortSignal,
  ): Subscription {
    checkDelivery(this.settings, settings);
    const isRefused = this.#main.isRefused;
    this.reset();
    const handle = new SubscriptionHandle(observer, this.#streamFor(settings));
    if (isRefused) this.#subscribe(this.#main);
    else this.#advance();
    const undo = (): void => {
      signal?.removeEventListener("abort", undo);
      if (handle.end()) this.#onHandleEnded(handle.stream);
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
    return this.#main.isRefused;
  }

  /**
   * Stream that another link can continue; undefined while a replay or a side stream is pending.
   */
  get resumable(): TopicStream | undefined {
    const main = this.#main;
    const hasSideStream = this.#requested !== main || this.#nextSideStream !== undefined;
    // Requests that the link could not send wait for another link.
    const isBusy = this.#ref !== undefined && (main.continuity.isReplaying || hasSideStream);
    return isBusy || main.isRefused ? undefined : main;
  }

  get phase(): SubscriptionPhase {
    const stream = this.#active;
    if (this.#ref !== undefined && stream !== this.#requested) return "opening";
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
      this.#main.continuity.onSubscribe();
    } else if (!this.#requested.isRefused) {
      // A stream that was refused before the renewal would be refused again.
      this.#subscribe(this.#requested);
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
    this.#requested = this.#main;
    if (isRenewed) return;
    for (const stream of this.#streams()) stream.apply({ type: "requested" });
  }

  onSubscribed(frame: Subscribed, overlap: number): void {
    const { epoch, offset } = frame;
    const stream = this.#requested;
    this.#active = stream;
    const gap = stream.continuity.onSubscribed(frame, overlap);
    stream.apply({ type: "answered", epoch, offset, gap });
    if (gap) stream.emitGap(gap);
    this.#advance();
  }

  /** Handles a refusal, or the end of a subscription by the node. */
  onRefused(error: SluiceError): void {
    const stream = this.#requested;
    this.#clearRequest();
    if (stream !== this.#main) this.#subscribe(this.#main);
    const refused = stream === this.#main ? [...this.#sideStreams, stream] : [stream];
    for (const each of refused) {
      if (!each.isRefused) each.refuse(error);
    }
  }

  onGap(frame: GapFrame): void {
    const stream = this.#active;
    stream?.continuity.onGap(frame);
    stream?.onGap(frame.reason);
    this.#advance();
  }

  /**
   * Reports a possible gap: a frame that could not be parsed may have been a message of this topic.
   */
  onBadFrame(): void {
    this.#active?.onGap("missing");
  }

  onCaughtUp(time: number): void {
    // While a side stream is requested, messages of the main stream may be dropped.
    if (this.#active === this.#requested) this.#active.continuity.onCaughtUp(time);
  }

  onMessage(frame: MessageFrame): void {
    this.#active?.deliver(this.#clock, frame);
    if (this.#sideStreams.length > 0) this.#advance();
  }

  /** Returns the full offset of a message from its low 32 bits. */
  wholeOffset(low: number): number {
    return this.#active?.continuity.wholeOffset(low) ?? low;
  }

  #createStream(settings: SubscribeSettings): TopicStream {
    return new TopicStream(this.topic, settings, this.#listener);
  }

  #streams(): readonly TopicStream[] {
    return [this.#main, ...this.#sideStreams];
  }

  get #nextSideStream(): TopicStream | undefined {
    return this.#sideStreams.find((stream) => !stream.isRefused);
  }

  #streamFor(settings: SubscribeSettings): TopicStream {
    if (settings.from === undefined) return this.#main;
    const found = this.#streams().find((stream) => stream.canJoin(settings));
    if (found) return found;
    const stream = this.#createStream({ ...settings, delivery: this.settings.delivery });
    this.#sideStreams = [...this.#sideStreams, stream];
    return stream;
  }

  /** Requests this stream from the node instead of the previous one. */
  #subscribe(stream: TopicStream): void {
    // Messages that still arrive from the old request are repeated by the new one.
    if (stream === this.#main) this.#active = undefined;
    if (this.#ref !== undefined) this.#host.unsubscribe(this.#ref);
    this.#requested = stream;
    this.#ref = this.#host.subscribe(stream.continuity.onSubscribe());
  }

  #clearRequest(): void {
    this.#active = undefined;
    this.#ref = undefined;
  }

  /** Merges a side stream whose replay is complete, and requests the next one. */
  #advance(): void {
    const stream = this.#active;
    if (!stream || stream !== this.#requested || stream.continuity.isReplaying) return;
    if (stream !== this.#main) this.#mergeIntoMain(stream);
    const next = this.#nextSideStream;
    if (next && this.#active === this.#main) this.#subscribe(next);
  }

  /** Merges a side stream into the main stream. */
  #mergeIntoMain(stream: TopicStream): void {
    this.#sideStreams = this.#sideStreams.filter((other) => other !== stream);
    // A gap reported only to the side stream may affect all observers.
    const mayRepeat =
      stream.gapBefore !== undefined || !this.#main.continuity.isAtSameOffset(stream.continuity);
    if (mayRepeat) this.#subscribe(this.#main);
    else this.#active = this.#requested = this.#main;
    for (const handle of stream.handles) handle.moveTo(this.#main, mayRepeat);
  }

  /** Handles the removal of an observer. */
  #onHandleEnded(stream: TopicStream): void {
    if (stream.handles.size > 0) return;
    if (stream === this.#main) {
      this.#promoteSideStream();
    } else {
      this.#sideStreams = this.#sideStreams.filter((other) => other !== stream);
      if (stream === this.#requested) this.#subscribe(this.#main);
    }
  }

  /** Makes a side stream the main one. */
  #promoteSideStream(): void {
    const previous = this.#main;
    const successor = this.#requested === previous ? this.#sideStreams[0] : this.#requested;
    if (this.#active === previous) this.#active = undefined;
    if (!successor) {
      if (this.#ref !== undefined) this.#host.unsubscribe(this.#ref);
      this.#host.onEmpty();
      return;
    }
    this.#sideStreams = this.#sideStreams.filter((stream) => stream !== successor);
    this.#main = successor;
    successor.reset();
    if (successor !== this.#requested) this.#subscribe(successor);
    else this.#advance();
  }
}
