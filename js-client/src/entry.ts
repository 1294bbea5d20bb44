import type { ErrorFrame, Hello, NodeFrame, Subscribed } from "./frames.js";
import type { Link, LinkListener } from "./link.js";
import type { Settings } from "./options.js";
import { Questions } from "./questions.js";
import type { ConnectionEnd } from "./state.js";
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
  readonly #questions: Questions;
  #hello: Hello | undefined;
  #held: (() => void)[] = [];
  #isTaken = false;
  /** The node has no broker. */
  isStale = false;

  constructor(host: EntryHost, way: Way, listener: EntryListener) {
    this.#host = host;
    this.#way = way;
    this.#listener = listener;
    this.url = way.url;
    const { subscriptions } = host;
    const standing = (): Standing =>
      this.#isTaken ? subscriptions.standing : this.#standing(subscriptions);
    this.link = host.createLink(way.url, standing, this.#untilTaken(host.listener));
    this.#questions = new Questions(host, this.link);
  }

  get hasHello(): boolean {
    return this.#hello !== undefined;
  }

  get hello(): Hello {
    if (!this.#hello) throw new Error("there is no hello yet");
    return this.#hello;
  }

  /** There is no use in going on here: it is the node that the client leaves. */
  get isPointless(): boolean {
    return this.#questions.isOldNode;
  }

  /** The node has refused a subscription that stands at the old one, for good. */
  get isRefused(): boolean {
    return this.#questions.isRefused;
  }

  get isFull(): boolean {
    return this.#held.length >= MAX_HELD;
  }

  /** Asks for what was not asked yet, or too long ago; returns whether everything is answered. */
  ask(): boolean {
    // The connect comes first, even where a node says hello without it.
    return this.askedAt !== 0 && this.#questions.ask() && this.hasHello;
  }

  /** See {@link Questions.asked}. */
  get asked(): ReadonlyMap<TopicSubscription, number> {
    return this.#questions.asked;
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
        if (this.#isTaken) taken.onBadFrame(error);
        else
          this.#hold(() => {
            taken.onBadFrame(error);
          });
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
      this.#questions.forget();
      this.ask();
      if (this.#hello) this.#listener.onHello();
    });
    if (!hasToken) this.link.giveUp("no token");
  }

  #onFrame(frame: NodeFrame): void {
    switch (frame.type) {
      case "hello":
        this.#hello = frame.hello;
        this.isStale = frame.hello.broker === "down";
        this.#questions.overlap = frame.hello.limits.overlap;
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
      case "stale":
      case "live":
        this.isStale = frame.type === "stale";
        this.#holdFrame(frame);
        return;
      default:
        this.#holdFrame(frame);
    }
  }

  #onAnswer(frame: Subscribed | ErrorFrame): void {
    const question = this.#questions.onAnswer(frame);
    if (!question) {
      this.#holdFrame(frame);
      return;
    }
    if (question.isAnswered) {
      this.#hold(() => {
        // An error that answers what was taken back is for nobody.
        const isForUs = frame.type === "subscribed" || this.#questions.isOpen(question);
        if (isForUs) this.#host.listener.onFrame(frame);
      });
    }
    if (!this.#questions.areOpen) this.#listener.onAnswers();
  }

  #holdFrame(frame: NodeFrame): void {
    this.#hold(() => {
      this.#host.listener.onFrame(frame);
    });
  }

  #hold(tell: () => void): void {
    this.#held.push(tell);
  }

  #standing({ all }: Subscriptions): Standing {
    if (all.length === 0) return "none";
    return this.#questions.areOpen ? "opening" : "live";
  }
}
