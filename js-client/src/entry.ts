import type { ErrorFrame, Hello, NodeFrame, Subscribed } from "./frames.js";
import type { Feed } from "./feed.js";
import type { Link, LinkListener } from "./link.js";
import type { Settings } from "./options.js";
import type { ConnectionEnd } from "./state.js";
import type { SubscriptionState } from "./subscription-state.js";
import type { Subscriptions } from "./subscriptions.js";
import type { Standing, TopicSubscription } from "./topic-subscription.js";

/** What an entry needs of its client. */
export interface EntryHost {
  readonly settings: Settings;
  readonly subscriptions: Subscriptions;
  /** Hears the link from the moment at which that is the client's. */
  readonly listener: LinkListener;
  createLink(url: string, standing: () => Standing, listener: LinkListener): Link;
  /**
   * Says who the client is and calls back within the same turn, if it could be said; resolves with
   * whether there was a credential.
   */
  introduce(link: Link, isRedirected: boolean, onSaid: (now: number) => void): Promise<boolean>;
}

/** Where an entry leads. */
export interface Way {
  readonly url: string;
  /** A node has named the address. */
  readonly isRedirected: boolean;
}

/** Hears what becomes of an entry. */
export interface EntryListener {
  /** The link stands, maybe once more; its hello is awaited. */
  onOpen(): void;
  onHello(): void;
  /** All that was asked is answered. */
  onAnswers(): void;
  /** The node sends the client elsewhere, in the place of a hello. */
  onRedirect(url: string): void;
  onEnd(end: ConnectionEnd, retryAfterMs: number): void;
}

/** A subscribe that the other node has been sent, or is to be when the link opens once more. */
interface Question {
  readonly ref: number | undefined;
  /** That of the old link's stream then, which a gap and an answer change, and how far it was. */
  readonly state: SubscriptionState;
  readonly count: number;
  isAnswered: boolean;
}

// Frames that may wait until the client goes on with this link; then it does so at once.
const MAX_HELD = 10_000;

/**
 * A second link, with a session of its own, that asks for all subscriptions by position and keeps
 * what comes until the client goes on with it. Until then the old link counts: what this one brings
 * is looked at, and has no effect.
 */
export class Entry {
  readonly link: Link;
  readonly url: string;
  /** When the hello was asked for and came. */
  askedAt = 0;
  helloAt = 0;
  readonly #host: EntryHost;
  readonly #listener: EntryListener;
  readonly #way: Way;
  readonly #questions = new Map<TopicSubscription, Question>();
  readonly #byRef = new Map<number | undefined, TopicSubscription>();
  #hello: Hello | undefined;
  #held: (() => void)[] = [];
  #isTaken = false;
  /** The node has the logs that the client comes from: it is the old one. */
  #isOldNode = false;
  #isRefused = false;

  constructor(host: EntryHost, way: Way, listener: EntryListener) {
    this.#host = host;
    this.#way = way;
    this.#listener = listener;
    this.url = way.url;
    const { subscriptions } = host;
    const standing = (): Standing =>
      this.#isTaken ? subscriptions.standing : this.#standing(subscriptions);
    this.link = host.createLink(way.url, standing, this.#untilTaken(host.listener));
  }

  get hasHello(): boolean {
    return this.#hello !== undefined;
  }

  get hello(): Hello {
    if (!this.#hello) throw new Error("there is no hello yet");
    return this.#hello;
  }

  /** There is no use in going on here. */
  get isPointless(): boolean {
    return this.#isOldNode;
  }

  /** The node has refused a subscription that stands at the old one. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get isFull(): boolean {
    return this.#held.length >= MAX_HELD;
  }

  /** Asks for what was not asked yet, or too long ago; returns whether everything is answered. */
  ask(): boolean {
    // The connect comes first, even where a node says hello without it.
    if (this.askedAt === 0) return false;
    const all = new Set(this.#host.subscriptions.all);
    for (const subscription of this.#questions.keys()) {
      if (!all.has(subscription)) this.#withdraw(subscription);
    }
    let isReady = this.hasHello;
    for (const subscription of all) {
      if (!subscription.isRefused && !this.#isAnswered(subscription)) isReady = false;
    }
    return isReady;
  }

  /** The refs of what was asked and still holds; the rest is taken back, and asked anew. */
  get asked(): ReadonlyMap<TopicSubscription, number> {
    for (const subscription of this.#host.subscriptions.all) subscription.askAgain();
    const refs = new Map<TopicSubscription, number>();
    for (const [subscription, question] of this.#questions) {
      if (!this.#holds(subscription, question)) this.#withdraw(subscription);
      else if (question.ref !== undefined) refs.set(subscription, question.ref);
    }
    return refs;
  }

  /** From now on the link is the client's: hands on what has come, as long as that is so. */
  release(isOurs: () => boolean): void {
    this.#isTaken = true;
    const held = this.#held;
    this.#held = [];
    for (const tell of held) {
      if (!isOurs()) return;
      try {
        tell();
      } catch (error) {
        this.#host.listener.onBadFrame(error);
      }
    }
  }

  #untilTaken(taken: LinkListener): LinkListener {
    return {
      onOpen: () => {
        if (this.#isTaken) taken.onOpen();
        else void this.#open();
      },
      onActivity: () => {
        if (this.#isTaken) taken.onActivity();
      },
      onFrame: (frame) => {
        if (this.#isTaken) taken.onFrame(frame);
        else this.#onFrame(frame);
      },
      onBinary: (message) => {
        if (this.#isTaken) taken.onBinary(message);
        else
          this.#hold(() => {
            taken.onBinary(message);
          });
      },
      onBadFrame: (error) => {
        taken.onBadFrame(error);
      },
      onEnd: (end, retryAfterMs) => {
        (this.#isTaken ? taken : this.#listener).onEnd(end, retryAfterMs);
      },
    };
  }

  /** Says everything in one turn, of which a stream by HTTP makes one request. */
  async #open(): Promise<void> {
    this.#hello = undefined;
    this.#listener.onOpen();
    const hasToken = await this.#host.introduce(this.link, this.#way.isRedirected, (now) => {
      this.askedAt = now;
      this.#held = [];
      this.#questions.clear();
      this.#byRef.clear();
      this.ask();
    });
    if (!hasToken) this.link.giveUp("no token");
  }

  #onFrame(frame: NodeFrame): void {
    switch (frame.type) {
      case "hello":
        this.#hello = frame.hello;
        this.helloAt = this.#host.settings.clock.now();
        this.#listener.onHello();
        return;
      case "redirect":
        if (this.#hello) this.#holdFrame(frame);
        else this.#listener.onRedirect(frame.url);
        return;
      case "subscribed":
      case "error":
        this.#onAnswer(frame);
        return;
      default:
        this.#holdFrame(frame);
    }
  }

  #onAnswer(frame: Subscribed | ErrorFrame): void {
    const subscription = this.#byRef.get(frame.ref);
    const question = subscription && this.#questions.get(subscription);
    if (!question) {
      this.#holdFrame(frame);
      return;
    }
    question.isAnswered = true;
    if (frame.type === "error") this.#isRefused = true;
    else this.#isOldNode ||= "epoch" in question.state && question.state.epoch === frame.epoch;
    this.#hold(() => {
      // An error that answers what was taken back is for nobody.
      const isOpen = this.#questions.get(subscription) === question;
      if (isOpen || frame.type === "subscribed") this.#host.listener.onFrame(frame);
    });
    if (!this.#isOpening) this.#listener.onAnswers();
  }

  #holdFrame(frame: NodeFrame): void {
    this.#hold(() => {
      this.#host.listener.onFrame(frame);
    });
  }

  #hold(tell: () => void): void {
    this.#held.push(tell);
  }

  /** Asks if the question does not hold, or there is none. */
  #isAnswered(subscription: TopicSubscription): boolean {
    const { atRest } = subscription;
    const question = this.#questions.get(subscription);
    if (question && this.#holds(subscription, question)) return question.isAnswered;
    if (atRest) this.#ask(subscription, atRest);
    return false;
  }

  #ask(subscription: TopicSubscription, { state, continuity }: Feed): void {
    this.#withdraw(subscription);
    const ref = this.#host.subscriptions.ask(this.link, subscription, continuity.next);
    const question = { ref, state, count: continuity.count, isAnswered: false };
    this.#questions.set(subscription, question);
    if (ref !== undefined) this.#byRef.set(ref, subscription);
  }

  /**
   * Whether the stream of the answer goes on where the old one is: behind a gap the messages before
   * it would come out of order, and only half of the overlap may come twice.
   */
  #holds({ atRest }: TopicSubscription, { state, count }: Question): boolean {
    const overlap = this.#hello?.limits.overlap ?? Infinity;
    return atRest?.state === state && atRest.continuity.count - count <= overlap / 2;
  }

  #withdraw(subscription: TopicSubscription): void {
    const ref = this.#questions.get(subscription)?.ref;
    this.#questions.delete(subscription);
    if (!this.#byRef.delete(ref)) return;
    this.#host.subscriptions.takeBack(this.link, subscription.topic);
  }

  get #isOpening(): boolean {
    // What the link could not take waits until it opens once more.
    return [...this.#questions.values()].some(
      ({ ref, isAnswered }) => ref !== undefined && !isAnswered,
    );
  }

  #standing({ all }: Subscriptions): Standing {
    if (all.length === 0) return "none";
    return this.#isOpening ? "opening" : "live";
  }
}
