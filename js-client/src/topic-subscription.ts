import type { NodeClock } from "./clock.js";
import type { SluiceError } from "./errors.js";
import { Feed, type SubscriptionListener } from "./feed.js";
import type { GapFrame, Subscribed } from "./frames.js";
import type { SentMessage } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { From, Position } from "./position.js";
import { Seat } from "./seat.js";
import { checkDelivery, type SubscribeSettings } from "./subscribe-options.js";
import type { SubscriptionState } from "./subscription-state.js";

/** How subscriptions stand: there is none, some are being opened, or all are live. */
export type Standing = "none" | "opening" | "live";

/** What carries the requests of a topic's subscription. */
export interface TopicWire {
  /** Asks the node; returns with which ref, or undefined if it has to be asked when a link opens. */
  subscribe(from: From | undefined): number | undefined;
  /** Ends or withdraws what was asked with this ref. */
  unsubscribe(ref: number): void;
  /** There are no observers any more. */
  onEmpty(): void;
}

/**
 * One topic or pattern with all of its local observers, who share one subscription on the wire.
 *
 * A node knows one subscription of a topic on each connection. So observers who come later and want
 * another beginning are guests with a turn: the node is asked anew in their way, and when that
 * beginning has come, once more in the way of all, for what came meanwhile. Most often nothing did;
 * then all go on with the guests' stream.
 */
export class TopicSubscription {
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly #clock: NodeClock;
  readonly #wire: TopicWire;
  readonly #listener: SubscriptionListener;
  /** Of those who need no turn, or have had it. */
  #main: Feed;
  /** First come, first served. Who was refused waits for the next connection or handler. */
  #guests: readonly Feed[] = [];
  /** For which the node was asked the last time, or is to be asked. */
  #wanted: Feed;
  /** Whose messages come. Others are those of an earlier request, whose end is on its way. */
  #onAir: Feed | undefined;
  /** That of the subscribe that stands. */
  #ref: number | undefined;

  constructor(
    topic: string,
    settings: SubscribeSettings,
    clock: NodeClock,
    wire: TopicWire,
    listener: SubscriptionListener,
  ) {
    this.topic = topic;
    this.settings = settings;
    this.#clock = clock;
    this.#wire = wire;
    this.#listener = listener;
    this.#main = this.#createFeed(settings);
    this.#wanted = this.#main;
  }

  /**
   * Adds an observer, and asks the node again if it had said no.
   *
   * @param signal - What may end the subscription; it forgets it when it ends.
   * @throws SluiceError `invalid-argument` if the topic is subscribed with another `delivery` or `rate`
   */
  add(
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
    signal?: AbortSignal,
  ): Subscription {
    checkDelivery(this.settings, settings);
    const isRefused = this.#main.isRefused;
    this.askAgain();
    const seat = new Seat(observer, this.#feedFor(settings));
    if (isRefused) this.#ask(this.#main);
    else this.#advance();
    const undo = (): void => {
      signal?.removeEventListener("abort", undo);
      if (seat.leave()) this.#onLeft(seat.feed);
    };
    return Object.defineProperties(undo, {
      position: { get: (): Position | undefined => seat.position },
      state: { get: (): SubscriptionState => seat.feed.state },
    }) as Subscription;
  }

  /** The node has said no. */
  get isRefused(): boolean {
    return this.#main.isRefused;
  }

  /**
   * Whose stream another link would have to go on with; undefined while more of this one's has to
   * come first: the rest of a replay, or a guest's turn.
   */
  get atRest(): Feed | undefined {
    const main = this.#main;
    const hasTurns = this.#wanted !== main || this.#nextGuest !== undefined;
    // What the link could not take waits for a link that can.
    const isBusy = this.#ref !== undefined && (main.continuity.isReplaying || hasTurns);
    return isBusy || main.isRefused ? undefined : main;
  }

  get standing(): Standing {
    const feed = this.#onAir;
    if (this.#ref !== undefined && feed !== this.#wanted) return "opening";
    if (!feed) return "none";
    return feed.continuity.isReplaying ? "opening" : "live";
  }

  /**
   * Asks the node, or does so again because a link has opened, maybe once more.
   *
   * @param ref - That with which it was asked already.
   */
  onOpen(ref?: number): void {
    this.#forgetRequest();
    if (ref !== undefined) {
      this.#ref = ref;
      this.#main.continuity.onSubscribe();
    } else if (!this.#wanted.isRefused) {
      // Refused before the stream was renewed, it would only be so again.
      this.#ask(this.#wanted);
    }
  }

  /** If a node had said no, the next one is asked again. */
  askAgain(): void {
    for (const feed of this.#feeds()) feed.askAgain();
  }

  /** The link is gone; see {@link Subscriptions.onLost}. */
  onLost(isRenewed: boolean): void {
    this.#forgetRequest();
    // Nobody waits for a guest longer than for the connection.
    this.#wanted = this.#main;
    if (isRenewed) return;
    for (const feed of this.#feeds()) feed.apply({ type: "asked" });
  }

  onSubscribed(frame: Subscribed, overlap: number): void {
    const { epoch, offset } = frame;
    const feed = this.#wanted;
    this.#onAir = feed;
    const gap = feed.continuity.onSubscribed(frame, overlap);
    feed.apply({ type: "answered", epoch, offset, gap });
    if (gap) feed.tellGap(gap);
    this.#advance();
  }

  /** The node has refused the subscription, or ended it. */
  onRefused(error: SluiceError): void {
    const feed = this.#wanted;
    this.#forgetRequest();
    if (feed !== this.#main) this.#ask(this.#main);
    const refused = feed === this.#main ? [...this.#guests, feed] : [feed];
    for (const each of refused) {
      if (!each.isRefused) each.refuse(error);
    }
  }

  onGap(frame: GapFrame): void {
    const feed = this.#onAir;
    feed?.continuity.onGap(frame);
    feed?.gap(frame.reason);
    this.#advance();
  }

  /** A frame could not be read, which may have been a message of this subscription. */
  onBadFrame(): void {
    this.#onAir?.gap("missing");
  }

  onCaughtUp(time: number): void {
    this.#onAir?.continuity.onCaughtUp(time);
  }

  onMessage(message: SentMessage): void {
    this.#onAir?.deliver(this.#clock, message);
    if (this.#guests.length > 0) this.#advance();
  }

  /** The whole offset of a message of which only the low 32 bits have come. */
  wholeOffset(low: number): number {
    return this.#onAir?.continuity.wholeOffset(low) ?? low;
  }

  #createFeed(settings: SubscribeSettings): Feed {
    return new Feed(this.topic, settings, this.#listener);
  }

  #feeds(): readonly Feed[] {
    return [this.#main, ...this.#guests];
  }

  get #nextGuest(): Feed | undefined {
    return this.#guests.find((guest) => !guest.isRefused);
  }

  #feedFor(settings: SubscribeSettings): Feed {
    if (settings.from === undefined) return this.#main;
    const found = this.#feeds().find((feed) => feed.canBegin(settings));
    if (found) return found;
    const guest = this.#createFeed({ ...settings, delivery: this.settings.delivery });
    this.#guests = [...this.#guests, guest];
    return guest;
  }

  /** Asks the node in the way of this feed, in place of the one before. */
  #ask(feed: Feed): void {
    // What still comes of the stream that ends comes once more.
    if (feed === this.#main) this.#onAir = undefined;
    if (this.#ref !== undefined) this.#wire.unsubscribe(this.#ref);
    this.#wanted = feed;
    this.#ref = this.#wire.subscribe(feed.continuity.onSubscribe());
  }

  #forgetRequest(): void {
    this.#onAir = undefined;
    this.#ref = undefined;
  }

  /** Ends a turn that is over, and begins the next. */
  #advance(): void {
    const feed = this.#onAir;
    if (!feed || feed !== this.#wanted || feed.continuity.isReplaying) return;
    if (feed !== this.#main) this.#endTurn(feed);
    const next = this.#nextGuest;
    if (next && this.#onAir === this.#main) this.#ask(next);
  }

  /** The observers of a guest are like all others from now on. */
  #endTurn(guest: Feed): void {
    this.#guests = this.#guests.filter((other) => other !== guest);
    // A gap that was told to the guests alone may concern all.
    const hasMissed =
      guest.gapBefore !== undefined || !this.#main.continuity.isWhere(guest.continuity);
    if (hasMissed) this.#ask(this.#main);
    else this.#onAir = this.#wanted = this.#main;
    for (const seat of guest.seats) seat.moveTo(this.#main, hasMissed);
  }

  /** An observer has gone. */
  #onLeft(feed: Feed): void {
    if (feed.seats.size > 0) return;
    if (feed === this.#main) {
      this.#succeed();
    } else {
      this.#guests = this.#guests.filter((guest) => guest !== feed);
      if (feed === this.#wanted) this.#ask(this.#main);
    }
  }

  /** The first guest needs no turn any more. */
  #succeed(): void {
    const left = this.#main;
    const heir = this.#wanted === left ? this.#guests[0] : this.#wanted;
    if (this.#onAir === left) this.#onAir = undefined;
    if (!heir) {
      if (this.#ref !== undefined) this.#wire.unsubscribe(this.#ref);
      this.#wire.onEmpty();
      return;
    }
    this.#guests = this.#guests.filter((guest) => guest !== heir);
    this.#main = heir;
    heir.askAgain();
    if (heir !== this.#wanted) this.#ask(heir);
    else this.#advance();
  }
}
