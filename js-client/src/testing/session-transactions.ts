import { isJsonObject, type JsonObject } from "../engine/json.js";
import type { Destination } from "../engine/publish-options.js";
import { badFrame, FrameError, numberOf } from "./frame-error.js";
import { destinationOf, toDestination, toPublishing, type Publishing } from "./publish-frame.js";
import type { QueueConsumer } from "./queue-consumer.js";
import type { SessionExtension, SessionPart } from "./session-host.js";
import type SessionQueues from "./session-queues.js";
import type { TransactionFault } from "./types.js";

interface Publish {
  readonly destination: Destination;
  readonly publishing: Publishing;
}

interface Ack {
  readonly subscription: number;
  readonly tag: number;
  readonly isUpTo: boolean;
}

/** Checked acknowledgements of a transaction. */
interface Acks {
  readonly consumer: QueueConsumer;
  readonly tags: readonly number[];
}

const MAX_PARTS = 100;
const MAX_REF = 2 ** 32 - 1;

/** Transactions of one session: PROTOCOL.md, section 3. */
export default class SessionTransactions implements SessionExtension {
  readonly #session: SessionPart;

  constructor(session: SessionPart) {
    this.#session = session;
  }

  handle(frame: JsonObject): void {
    const ref = numberOf(frame, "ref", 0, Number.MAX_SAFE_INTEGER);
    const [publishes, acks] = [listOf(frame, "publish"), listOf(frame, "ack")];
    if (publishes.length + acks.length === 0) {
      throw badFrame("publish or ack", "present and not empty");
    }
    if (publishes.length + acks.length > MAX_PARTS) {
      const message = `a transaction has more than limits.transaction (${String(MAX_PARTS)}) parts`;
      throw new FrameError("bad-frame", message);
    }
    const parsed = eachPart("publish", publishes, toPublish);
    const settled = this.#toAcks(acks);
    if (!this.#arePermitted(ref, publishes)) return;
    this.#run(ref, parsed, this.#find(settled));
  }

  #toAcks(acks: readonly JsonObject[]): readonly Ack[] {
    let consumer: number | undefined;
    return eachPart("ack", acks, (part) => {
      checkPart(part, ["type", "ref"]);
      const subscription = numberOf(part, "subscription", 0, MAX_REF);
      consumer ??= subscription;
      if (subscription !== consumer) throw badFrame("subscription", String(consumer));
      const tag = numberOf(part, "tag", 1, Number.MAX_SAFE_INTEGER);
      return { subscription, tag, isUpTo: part["upTo"] === true };
    });
  }

  /** Answers with an error that names the destination if one is not permitted. */
  #arePermitted(ref: number, publishes: readonly JsonObject[]): boolean {
    return publishes.every(({ topic, queue }, at) =>
      this.#session.guard({ ref, topic, queue }, () => {
        named("publish", at, () => destinationOf({ topic, queue }, this.#session.host));
      }),
    );
  }

  /** Finds the messages to acknowledge, each of which must be pending. */
  #find(acks: readonly Ack[]): Acks | undefined {
    const tags = new Set<number>();
    const [first] = acks;
    if (!first) return undefined;
    const queues = this.#session.part("queues") as SessionQueues | undefined;
    const consumers = eachPart("ack", acks, ({ subscription, tag, isUpTo }) => {
      const consumer = queues?.consumerOf(subscription);
      const found = consumer?.tagsOf(tag, isUpTo).filter((each) => !tags.has(each)) ?? [];
      if (found.length === 0) throw new FrameError("not-pending", "the message is not pending");
      for (const each of found) tags.add(each);
      return consumer;
    });
    const [consumer] = consumers;
    return consumer && { consumer, tags: [...tags] };
  }

  #run(ref: number, publishes: readonly Publish[], acks: Acks | undefined): void {
    const { broker } = this.#session.host;
    this.#session.checkBroker();
    const fault = broker.takeTransactionFault() ?? this.#refusal(publishes);
    const isStored = fault?.stored ?? !fault;
    const finish = isStored ? this.#commit(publishes, acks) : undefined;
    if (fault) {
      this.#fail(ref, fault, acks);
      return;
    }
    this.#session.sendFrame({ type: "committed", ref });
    finish?.();
  }

  /** Returns the fault of a transaction of which the broker refuses a message. */
  #refusal(publishes: readonly Publish[]): TransactionFault | undefined {
    try {
      eachPart("publish", publishes, ({ destination }) => {
        this.#session.host.broker.checkStorable(destination);
      });
      return undefined;
    } catch (error) {
      return { message: (error as Error).message };
    }
  }

  #commit(publishes: readonly Publish[], acks: Acks | undefined): (() => void) | undefined {
    const finish = acks?.consumer.settleAll("ack", acks.tags);
    const { broker } = this.#session.host;
    for (const { destination, publishing } of publishes) broker.store(destination, publishing);
    return finish;
  }

  #fail(ref: number, fault: TransactionFault, acks: Acks | undefined): void {
    if (fault.cut === true) {
      this.#session.cut();
      return;
    }
    const { message = "the broker did not store the transaction" } = fault;
    this.#session.sendError({ ref }, "transaction-failed", message);
    acks?.consumer.reset();
  }
}

function toPublish(part: JsonObject): Publish {
  checkPart(part, ["type", "ref", "id"]);
  const destination = toDestination(part);
  return { destination, publishing: toPublishing(part, destination) };
}

function checkPart(part: JsonObject, forbidden: readonly string[]): void {
  if (!isJsonObject(part)) throw badFrame("the part", "an object");
  const name = forbidden.find((each) => part[each] !== undefined);
  if (name !== undefined) throw badFrame(name, "absent in a transaction");
}

function listOf(frame: JsonObject, name: string): readonly JsonObject[] {
  const list = frame[name] ?? [];
  if (Array.isArray(list)) return list as readonly JsonObject[];
  throw badFrame(name, "a list of objects");
}

/** Calls a function for each part; an error names the part. */
function eachPart<Part, Result>(
  list: string,
  parts: readonly Part[],
  call: (part: Part) => Result,
): readonly Result[] {
  return parts.map((part, at) => named(list, at, () => call(part)));
}

function named<Result>(list: string, at: number, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    throw new FrameError(error.code, `${list} ${String(at + 1)}: ${error.message}`);
  }
}
