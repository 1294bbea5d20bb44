import type { JsonObject } from "../json.js";
import { checkQueue } from "../publish-options.js";
import { encodeDelivery } from "./encode.js";
import { FrameError, numberOf, textOf, unsupported } from "./frame-error.js";
import { QueueConsumer, toCredit } from "./queue-consumer.js";
import type { SessionPart } from "./session-host.js";
import type { StoredMessage } from "./stored-message.js";
import { covers } from "./topic-names.js";

interface Entry {
  readonly frame: JsonObject;
  readonly consumer: QueueConsumer;
  isAnswered: boolean;
}

const MAX_REF = 2 ** 32 - 1;
const MAX_BROWSE = 1_000;

/** Consumers of one session. */
export class SessionQueues {
  readonly #session: SessionPart;
  readonly #entries = new Map<number, Entry>();

  constructor(session: SessionPart) {
    this.#session = session;
  }

  consume(frame: JsonObject): void {
    const ref = numberOf(frame, "ref", 0, MAX_REF);
    if (frame["topic"] !== undefined) throw unsupported("durable and shared subscriptions");
    const queue = this.#queueOf(frame);
    if (this.#entries.has(ref)) {
      throw new FrameError("already-subscribed", `ref ${String(ref)} is in use`);
    }
    const credit = toCredit(frame["credit"]);
    const consumer = new QueueConsumer(this.#session, ref, this.#broker.brokerQueue(queue), credit);
    this.#entries.set(ref, { frame, consumer, isAnswered: false });
    if (this.#broker.isUp) this.answer();
  }

  /** Answers the consumers that wait for the broker. */
  answer(): void {
    for (const [ref, entry] of this.#entries) {
      if (entry.isAnswered) continue;
      entry.isAnswered = true;
      const { consumer } = entry;
      this.#session.sendFrame({ type: "consuming", ref, queue: consumer.queue.name });
      consumer.queue.attach(consumer);
    }
  }

  /** Ends a consumer; returns whether there is one with this number. */
  unsubscribe({ ref, subscription }: JsonObject): boolean {
    const entry = this.#entries.get(subscription as number);
    if (!entry) return false;
    this.#entries.delete(subscription as number);
    entry.consumer.close();
    const { name: queue } = entry.consumer.queue;
    this.#session.sendFrame({ type: "unsubscribed", ref, queue, subscription });
    return true;
  }

  settle(frame: JsonObject): void {
    this.#checkBroker();
    const { type, ref, subscription } = frame;
    const tag = numberOf(frame, "tag", 1, Number.MAX_SAFE_INTEGER);
    const finish = this.#consumerOf(frame).settle(String(type), tag, frame["upTo"] === true);
    if (ref !== undefined) this.#session.sendFrame({ type: "settled", ref, subscription });
    finish();
  }

  setCredit(frame: JsonObject): void {
    this.#consumerOf(frame).setCredit(toCredit(frame["credit"]));
  }

  browse(frame: JsonObject): void {
    this.#checkBroker();
    const ref = numberOf(frame, "ref", 0, MAX_REF);
    const name = this.#queueOf(frame);
    const max = frame["max"] === undefined ? 100 : numberOf(frame, "max", 1, MAX_BROWSE);
    const { ready } = this.#broker.brokerQueue(name);
    for (const { message, attempts } of ready.slice(0, max)) {
      const placement = { ref, tag: undefined, redelivered: attempts > 0 };
      this.#session.sendData(encodeDelivery(message, placement, this.#session.isBinary));
    }
    const count = Math.min(max, ready.length);
    const more = ready.length > max;
    this.#session.sendFrame({ type: "browsed", ref, queue: name, count, more });
  }

  /** Returns the pending message that a frame answers. */
  pending(frame: JsonObject): StoredMessage {
    const tag = numberOf(frame, "tag", 1, Number.MAX_SAFE_INTEGER);
    return this.#consumerOf(frame).pending(tag);
  }

  /** Ends the consumers whose queue is not permitted any more. */
  onForbidden(pattern: string, code: string): void {
    for (const [ref, { frame, consumer }] of [...this.#entries]) {
      const { name } = consumer.queue;
      if (!covers(pattern, name)) continue;
      this.#entries.delete(ref);
      consumer.close();
      this.#session.sendError(frame, code, `queue ${name} is not permitted`);
    }
  }

  close(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    // All are detached first, so that no message moves to a consumer of the same session.
    for (const { consumer } of entries) consumer.queue.detach(consumer);
    for (const { consumer } of entries) consumer.close();
  }

  get #broker(): SessionPart["host"]["broker"] {
    return this.#session.host.broker;
  }

  #checkBroker(): void {
    if (!this.#broker.isUp) throw new FrameError("broker-unavailable", "the broker is stopped");
  }

  /** Returns the name of a queue that this client may use. */
  #queueOf(frame: JsonObject): string {
    const queue = textOf(frame, "queue");
    if (frame["where"] !== undefined) throw unsupported("where");
    checkName(queue);
    this.#session.host.checkPermitted(queue);
    return queue;
  }

  #consumerOf(frame: JsonObject): QueueConsumer {
    const ref = numberOf(frame, "subscription", 0, MAX_REF);
    const entry = this.#entries.get(ref);
    if (entry) return entry.consumer;
    throw new FrameError("not-pending", `subscription ${String(ref)} is not a consumer`);
  }
}

function checkName(queue: string): void {
  try {
    checkQueue(queue);
  } catch (error) {
    throw new FrameError("invalid-topic", (error as Error).message);
  }
}
