import type { JsonObject } from "../engine/json.js";
import { checkQueue } from "../engine/publish-options.js";
import { encodeDelivery } from "./encode-delivery.js";
import { badFrame, FrameError, numberOf, textOf } from "./frame-error.js";
import { toPublishing } from "./publish-frame.js";
import { QueueConsumer, toCredit } from "./queue-consumer.js";
import { isSelected } from "./selector-type.js";
import { selectorOf } from "./selectors.js";
import type { Ban, SessionExtension, SessionPart } from "./session-host.js";
import { checkTopic, covers } from "./topic-names.js";
import { toSubscription, TopicQueues, type SubscriptionName } from "./topic-queues.js";
import type { TestUse } from "./types.js";

/** Queue or subscription of a consumer, as the members of its frames. */
type Source = { readonly queue: string } | SubscriptionName;

interface Entry {
  readonly frame: JsonObject;
  readonly source: Source;
  readonly open: () => QueueConsumer;
  /** Undefined until the broker is available. */
  consumer: QueueConsumer | undefined;
}

const MAX_REF = 2 ** 32 - 1;
const MAX_BROWSE = 1_000;
const MAX_CONSUMERS = 16;

/** Consumers of one session: PROTOCOL.md, sections 3 and 12. */
export default class SessionQueues implements SessionExtension {
  readonly #session: SessionPart;
  readonly #subscriptions: TopicQueues;
  readonly #entries = new Map<number, Entry>();

  constructor(session: SessionPart) {
    this.#session = session;
    this.#subscriptions = session.host.broker.extension(TopicQueues);
  }

  handle(frame: JsonObject): void {
    switch (frame["type"]) {
      case "consume":
        this.#consume(frame);
        return;
      case "credit":
        this.#find(frame).setCredit(toCredit(frame["credit"]));
        return;
      case "browse":
        this.#browse(frame);
        return;
      case "respond":
        this.#respond(frame);
        return;
      case "unsubscribe":
        this.#unsubscribe(frame);
        return;
      default:
        this.#settle(frame);
    }
  }

  owns({ subscription, topic }: JsonObject): boolean {
    const source = this.#entries.get(subscription as number)?.source;
    return source !== undefined && (topic === undefined || nameOf(source) === topic);
  }

  onBrokerBack(): void {
    this.#answer();
  }

  onForbidden({ pattern, use, code }: Ban): void {
    for (const [ref, entry] of [...this.#entries]) {
      const { frame, source } = entry;
      const name = nameOf(source);
      const isAffected = use === undefined || usesOf(source).includes(use);
      if (!isAffected || !covers(pattern, name)) continue;
      this.#remove(ref, entry);
      this.#session.sendError(frame, code, `${name} is not permitted`);
    }
  }

  close(): void {
    const entries = [...this.#entries];
    // All are detached first, so that no message moves to a consumer of the same session.
    for (const [, { consumer }] of entries) consumer?.queue.detach(consumer);
    for (const [ref, entry] of entries) this.#remove(ref, entry);
  }

  /** Returns a consumer; throws `not-pending` if there is none. */
  consumerOf(subscription: number): QueueConsumer {
    const consumer = this.#entries.get(subscription)?.consumer;
    if (consumer) return consumer;
    throw new FrameError("not-pending", `no consumer has ref ${String(subscription)}`);
  }

  #consume(frame: JsonObject): void {
    const ref = numberOf(frame, "ref", 0, MAX_REF);
    const source = this.#sourceOf(frame);
    const selector = selectorOf(frame);
    this.#checkFree(ref);
    const credit = toCredit(frame["credit"]);
    const isPattern = "topic" in source && /[*>]/.test(source.topic);
    const isShared = "shared" in source;
    const open = (): QueueConsumer => {
      const isOfQueue = "queue" in source;
      const queue = isOfQueue
        ? this.#broker.brokerQueue(source.queue)
        : this.#subscriptions.open(this.#session.subject, source, selector);
      const own = isOfQueue ? selector : undefined;
      const options = { credit, selector: own, isPattern, isShared };
      return new QueueConsumer(this.#session, ref, queue, options);
    };
    this.#entries.set(ref, { frame, source, open, consumer: undefined });
    if (this.#broker.isUp) this.#answer();
  }

  #checkFree(ref: number): void {
    if (this.#entries.has(ref)) {
      throw new FrameError("already-subscribed", `ref ${String(ref)} is in use`);
    }
    if (this.#entries.size < MAX_CONSUMERS) return;
    const message = `limit of ${String(MAX_CONSUMERS)} consumers per client reached`;
    throw new FrameError("too-many-consumers", message);
  }

  /** Answers the consumers that wait for the broker. */
  #answer(): void {
    for (const [ref, entry] of [...this.#entries]) {
      if (entry.consumer) continue;
      this.#session.guard(entry.frame, () => {
        this.#open(ref, entry);
      });
    }
  }

  #open(ref: number, entry: Entry): void {
    try {
      entry.consumer = entry.open();
    } catch (error) {
      this.#entries.delete(ref);
      throw error;
    }
    this.#session.sendFrame({ type: "consuming", ref, ...entry.source });
    entry.consumer.queue.attach(entry.consumer);
  }

  #remove(ref: number, { consumer, source }: Entry): void {
    this.#entries.delete(ref);
    consumer?.close();
    if ("shared" in source) this.#subscriptions.endUnused(this.#session.subject, source);
  }

  #unsubscribe({ ref, subscription }: JsonObject): void {
    const entry = this.#entries.get(subscription as number);
    if (!entry) return;
    const { source } = entry;
    this.#remove(subscription as number, entry);
    const place = "queue" in source ? source : { topic: source.topic };
    this.#session.sendFrame({ type: "unsubscribed", ref, ...place, subscription });
  }

  #settle(frame: JsonObject): void {
    this.#session.checkBroker();
    const { type, ref, subscription } = frame;
    const tag = numberOf(frame, "tag", 1, Number.MAX_SAFE_INTEGER);
    const finish = this.#find(frame).settle(String(type), tag, frame["upTo"] === true);
    if (ref !== undefined) this.#session.sendFrame({ type: "settled", ref, subscription });
    finish();
  }

  #browse(frame: JsonObject): void {
    this.#session.checkBroker();
    const ref = numberOf(frame, "ref", 0, MAX_REF);
    const name = this.#queueOf(frame, "browse");
    const selector = selectorOf(frame);
    const max = frame["max"] === undefined ? 100 : numberOf(frame, "max", 1, MAX_BROWSE);
    const ready = this.#broker
      .brokerQueue(name)
      .ready.filter(({ message }) => isSelected(selector, message));
    for (const { message, attempts } of ready.slice(0, max)) {
      const placement = { ref, tag: undefined, redelivered: attempts > 0 };
      this.#session.sendData(encodeDelivery(message, placement, this.#session.isBinary));
    }
    const count = Math.min(max, ready.length);
    const more = ready.length > max;
    this.#session.sendFrame({ type: "browsed", ref, queue: name, count, more });
  }

  #respond(frame: JsonObject): void {
    const tag = numberOf(frame, "tag", 1, Number.MAX_SAFE_INTEGER);
    const { replyTo, correlationId, id } = this.#find(frame).pending(tag);
    if (!replyTo) throw new FrameError("no-recipient", "the message requests no reply");
    const reply = { ...frame, correlationId: correlationId ?? id };
    const publishing = toPublishing(reply, replyTo);
    this.#session.checkBroker();
    this.#broker.store(replyTo, publishing);
    const { ref } = frame;
    if (ref !== undefined) this.#session.sendFrame({ type: "published", ref });
  }

  get #broker(): SessionPart["host"]["broker"] {
    return this.#session.host.broker;
  }

  #find(frame: JsonObject): QueueConsumer {
    return this.consumerOf(numberOf(frame, "subscription", 0, MAX_REF));
  }

  #sourceOf(frame: JsonObject): Source {
    if (frame["topic"] === undefined) {
      const extra = ["durable", "shared"].find((name) => frame[name] !== undefined);
      if (extra !== undefined) throw badFrame(extra, "absent without topic");
      return { queue: this.#queueOf(frame, "consume") };
    }
    if (frame["queue"] !== undefined) throw badFrame("queue", "absent with topic");
    const source = toSubscription(frame);
    checkTopic(source.topic, this.#broker.limits);
    this.#session.host.checkPermitted(source.topic, ...usesOf(source));
    return source;
  }

  /** Returns the name of a queue that this client may use. */
  #queueOf(frame: JsonObject, use: TestUse): string {
    const queue = textOf(frame, "queue");
    try {
      checkQueue(queue);
    } catch (error) {
      throw new FrameError("invalid-topic", (error as Error).message);
    }
    this.#session.host.checkPermitted(queue, use);
    return queue;
  }
}

function nameOf(source: Source): string {
  return "queue" in source ? source.queue : source.topic;
}

function usesOf(source: Source): readonly TestUse[] {
  if ("queue" in source) return ["consume"];
  return ["subscribe", "shared" in source ? "shared" : "durable"];
}
