import type { JsonObject } from "../engine/json.js";
import type { GapReason } from "../engine/subscription-state.js";
import { encodeMessage } from "./encode.js";
import { badFrame, FrameError, numberOf, textOf } from "./frame-error.js";
import { LiveSubscription, type SubscriptionSink } from "./live-subscription.js";
import type { Selector } from "./selector-type.js";
import { selectorOf } from "./selectors.js";
import type { Ban, SessionExtension, SessionPart } from "./session-host.js";
import type { LogEntry, LogStart, TopicLog } from "./topic-log.js";
import { checkTopic, covers } from "./topic-names.js";

interface Entry {
  readonly frame: JsonObject;
  readonly topic: string;
  readonly selector: Selector | undefined;
  readonly stream: LiveSubscription;
  isAnswered: boolean;
}

/** Subscriptions of one session. */
export default class SessionTopics implements SessionExtension {
  readonly #session: SessionPart;
  /** Plain subscriptions by topic, tagged ones by their number. */
  readonly #entries = new Map<string | number, Entry>();
  /** Numbers of topics in binary messages, by subscribed and concrete topic. */
  readonly #channels = new Map<string, number>();
  #lastChannel = 0;

  constructor(session: SessionPart) {
    this.#session = session;
  }

  /** Topics and patterns of the subscriptions. */
  get names(): readonly string[] {
    return [...this.#entries.values()].map(({ topic }) => topic);
  }

  handle(frame: JsonObject): void {
    if (frame["type"] === "subscribe") this.#subscribe(frame);
    else this.#unsubscribe(frame);
  }

  #subscribe(frame: JsonObject): void {
    const { host } = this.#session;
    const { limits, clock } = host.broker;
    const topic = textOf(frame, "topic");
    checkTopic(topic, limits);
    host.checkPermitted(topic, "subscribe");
    if (frame["where"] !== undefined && frame["tagged"] !== true) {
      throw badFrame("tagged", "true if there is a where");
    }
    const selector = selectorOf(frame);
    const key = keyOf(frame, topic);
    this.#checkFree(key, topic, limits.subscriptions);
    const sink: SubscriptionSink = {
      sendEntry: (entry) => {
        this.#sendEntry(frame, topic, entry);
      },
      sendGap: (reason, offset) => {
        this.#sendGap(frame, topic, reason, offset);
      },
    };
    const stream = new LiveSubscription(sink, clock, frame["rate"]);
    this.#entries.set(key, { frame, topic, selector, stream, isAnswered: false });
    if (host.broker.isUp) this.onBrokerBack();
  }

  #unsubscribe(frame: JsonObject): void {
    const { subscription, ref } = frame;
    const isTagged = typeof subscription === "number";
    const key = isTagged ? subscription : textOf(frame, "topic");
    const entry = this.#entries.get(key);
    if (!entry) throw new FrameError("not-subscribed", `${String(key)} is not subscribed`);
    this.#remove(key, entry);
    this.#session.sendFrame({ type: "unsubscribed", ref, topic: entry.topic, subscription });
  }

  /** Answers the subscriptions that wait for the broker. */
  onBrokerBack(): void {
    for (const [key, entry] of [...this.#entries]) {
      if (entry.isAnswered) continue;
      this.#session.guard(entry.frame, () => {
        this.#start(key, entry);
      });
    }
  }

  /** Ends the subscriptions whose topic is not permitted any more. */
  onForbidden({ pattern, use = "subscribe", code }: Ban): void {
    for (const [key, entry] of [...this.#entries]) {
      if (use !== "subscribe" || !covers(pattern, entry.topic)) continue;
      this.#remove(key, entry);
      this.#session.sendError(entry.frame, code, `topic ${entry.topic} is not permitted`);
    }
  }

  close(): void {
    for (const [key, entry] of [...this.#entries]) this.#remove(key, entry);
  }

  #checkFree(key: string | number, topic: string, max: number): void {
    if (this.#entries.has(key)) {
      throw new FrameError("already-subscribed", `${topic} is already subscribed`);
    }
    if (this.#entries.size < max) return;
    const message = `at most ${String(max)} subscriptions are allowed`;
    throw new FrameError("too-many-subscriptions", message);
  }

  #start(key: string | number, entry: Entry): void {
    const { frame, topic, selector, stream } = entry;
    const log = this.#session.host.log(topic, selector);
    const isNewest = frame["delivery"] === "latest" || frame["rate"] !== undefined;
    let start: LogStart;
    try {
      start = log.start(frame["from"], isNewest);
    } catch (error) {
      this.#remove(key, entry);
      throw error;
    }
    entry.isAnswered = true;
    this.#sendSubscribed(frame, topic, log, start);
    for (const each of start.replay) this.#sendEntry(frame, topic, each);
    stream.attach(log);
  }

  #sendSubscribed(frame: JsonObject, topic: string, log: TopicLog, start: LogStart): void {
    const { replay, recovered } = start;
    this.#session.sendFrame({
      type: "subscribed",
      ref: frame["ref"],
      topic,
      epoch: log.epoch,
      offset: log.offset,
      replay: replay.length > 0 ? replay.length : undefined,
      recovered,
      time: recovered === true ? undefined : this.#now(),
      channel: isPattern(topic) ? undefined : this.#channel(topic, topic),
      tagged: frame["tagged"] === true || undefined,
    });
  }

  #sendEntry(frame: JsonObject, subscribed: string, { offset, message }: LogEntry): void {
    const { topic = "" } = message.destination;
    const channel = this.#channel(subscribed, topic);
    const pattern = isPattern(subscribed) ? subscribed : undefined;
    const placement = { channel, offset, pattern, ref: tagOf(frame) };
    this.#session.sendData(encodeMessage(message, placement));
  }

  #sendGap(frame: JsonObject, topic: string, reason: GapReason, offset: number): void {
    const ref = tagOf(frame);
    this.#session.sendFrame({ type: "gap", ref, topic, reason, offset, time: this.#now() });
  }

  /** Returns the number of a topic, which is announced first if it matches a pattern. */
  #channel(subscribed: string, topic: string): number | undefined {
    if (!this.#session.isBinary) return undefined;
    const key = `${subscribed} ${topic}`;
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const channel = ++this.#lastChannel;
    this.#channels.set(key, channel);
    if (isPattern(subscribed)) {
      this.#session.sendFrame({ type: "channel", channel, pattern: subscribed, topic });
    }
    return channel;
  }

  #remove(key: string | number, { topic, stream }: Entry): void {
    stream.close();
    this.#entries.delete(key);
    if (this.names.includes(topic)) return;
    for (const each of [...this.#channels.keys()]) {
      if (each.startsWith(`${topic} `)) this.#channels.delete(each);
    }
  }

  #now(): number {
    return Math.floor(this.#session.host.broker.clock.now());
  }
}

function keyOf(frame: JsonObject, topic: string): string | number {
  if (frame["tagged"] !== true) return topic;
  return numberOf(frame, "ref", 0, 2 ** 32 - 1);
}

/** Returns the number that each message of a tagged subscription carries. */
function tagOf(frame: JsonObject): number | undefined {
  return frame["tagged"] === true ? Number(frame["ref"]) : undefined;
}

function isPattern(topic: string): boolean {
  return /[*>]/.test(topic);
}
