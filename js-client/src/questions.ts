import type { Feed } from "./feed.js";
import type { ErrorFrame, Subscribed } from "./frames.js";
import type { Link } from "./link.js";
import type { Settings } from "./options.js";
import type { SubscriptionState } from "./subscription-state.js";
import type { Subscriptions } from "./subscriptions.js";
import type { TopicSubscription } from "./topic-subscription.js";

/** What questions need of their client. */
export interface QuestionsHost {
  readonly settings: Settings;
  readonly subscriptions: Subscriptions;
}

/** A subscribe that the other node has been sent, or is to be: later, or in a new stream by HTTP. */
export interface Question {
  readonly subscription: TopicSubscription;
  /** Undefined while the node has not been sent it. */
  ref: number | undefined;
  /** That of the old link's stream then, which a gap and an answer change, and how far it was. */
  readonly state: SubscriptionState;
  readonly count: number;
  isAnswered: boolean;
  /** When it is to be asked once more, by the client's clock. */
  againAt: number;
}

// Errors with which a node says that it may take the subscription later.
const PASSING = ["rate-limited", "broker-unavailable", "too-many-topics"];

/** What a second link asks for so that the client can go on there, and how far that is answered. */
export class Questions {
  readonly #host: QuestionsHost;
  readonly #link: Link;
  readonly #all = new Map<TopicSubscription, Question>();
  readonly #byRef = new Map<number | undefined, Question>();
  /** How often the node has put off each. */
  readonly #delays = new Map<TopicSubscription, number>();
  /** How many identities the node wants to be remembered. */
  overlap = Infinity;
  /** The node has the logs that the client comes from: it is the old one. */
  isOldNode = false;
  /** The node has refused one for good. */
  isRefused = false;

  constructor(host: QuestionsHost, link: Link) {
    this.#host = host;
    this.#link = link;
  }

  /** The link opens, maybe once more. */
  forget(): void {
    this.#all.clear();
    this.#byRef.clear();
  }

  /** Asks for what was not asked yet, or too long ago; returns whether everything is answered. */
  ask(): boolean {
    this.#withdrawEnded();
    let isReady = true;
    for (const subscription of this.#host.subscriptions.all) {
      if (!subscription.isRefused && !this.#isAnswered(subscription)) isReady = false;
    }
    return isReady;
  }

  /** The refs of what was asked and still holds; the rest is taken back, and asked anew. */
  get asked(): ReadonlyMap<TopicSubscription, number> {
    for (const subscription of this.#host.subscriptions.all) subscription.askAgain();
    this.#withdrawEnded();
    const refs = new Map<TopicSubscription, number>();
    for (const question of this.#all.values()) {
      if (!this.#holds(question)) this.#withdraw(question);
      else if (question.ref !== undefined) refs.set(question.subscription, question.ref);
    }
    return refs;
  }

  /** Some wait for their answer. What the link could not take waits until it opens once more. */
  get areOpen(): boolean {
    return [...this.#all.values()].some(({ ref, isAnswered }) => ref !== undefined && !isAnswered);
  }

  /** Whether it was not taken back. */
  isOpen(question: Question): boolean {
    return this.#all.get(question.subscription) === question;
  }

  /** The node has answered something; returns the question, if that was one. */
  onAnswer(frame: Subscribed | ErrorFrame): Question | undefined {
    const question = this.#byRef.get(frame.ref);
    if (!question) return undefined;
    const { state } = question;
    const isError = frame.type === "error";
    question.isAnswered = !isError || !PASSING.includes(frame.code);
    if (!isError) this.isOldNode ||= "epoch" in state && state.epoch === frame.epoch;
    else if (question.isAnswered) this.isRefused = true;
    else this.#putOff(question);
    return question;
  }

  /** As if it had not been asked; where nobody does so here any more, the client asks itself. */
  #putOff(question: Question): void {
    const { clock, backoff } = this.#host.settings;
    const delays = (this.#delays.get(question.subscription) ?? 0) + 1;
    this.#delays.set(question.subscription, delays);
    question.againAt = clock.now() + backoff(delays);
    this.#byRef.delete(question.ref);
    question.ref = undefined;
  }

  /** Asks if the question does not hold, or there is none. */
  #isAnswered(subscription: TopicSubscription): boolean {
    const { atRest } = subscription;
    const question = this.#all.get(subscription);
    if (question && this.#holds(question)) return question.isAnswered;
    if (atRest) this.#ask(subscription, atRest);
    return false;
  }

  #ask(subscription: TopicSubscription, { state, continuity }: Feed): void {
    const before = this.#all.get(subscription);
    if (before) this.#withdraw(before);
    const { next, count } = continuity;
    const ref = this.#host.subscriptions.ask(this.#link, subscription, next);
    const question = { subscription, ref, state, count, isAnswered: false, againAt: Infinity };
    this.#all.set(subscription, question);
    if (ref !== undefined) this.#byRef.set(ref, question);
  }

  /**
   * Whether the stream of the answer goes on where the old one is: behind a gap the messages before
   * it would come out of order, and only half of the overlap may come twice.
   */
  #holds({ subscription, state, count, againAt }: Question): boolean {
    const { atRest } = subscription;
    const isDue = this.#host.settings.clock.now() >= againAt;
    if (isDue || atRest?.state !== state) return false;
    return atRest.continuity.count - count <= this.overlap / 2;
  }

  /** Takes back what the application wants no more. */
  #withdrawEnded(): void {
    const wanted = new Set(this.#host.subscriptions.all);
    for (const question of this.#all.values()) {
      if (!wanted.has(question.subscription)) this.#withdraw(question);
    }
  }

  #withdraw({ subscription, ref }: Question): void {
    this.#all.delete(subscription);
    if (!this.#byRef.delete(ref)) return;
    this.#host.subscriptions.takeBack(this.#link, subscription.topic);
  }
}
