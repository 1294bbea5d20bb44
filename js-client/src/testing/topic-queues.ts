import type { JsonObject } from "../engine/json.js";
import type { BrokerQueue } from "./broker-queue.js";
import { badFrame, FrameError, textOf } from "./frame-error.js";
import type { Selector } from "./selector-type.js";
import { isSelected } from "./selector-type.js";
import type { BrokerExtension, SessionBroker } from "./session-host.js";
import type { Destination } from "../engine/publish-options.js";
import type { StoredMessage } from "./stored-message.js";
import { covers } from "./topic-names.js";
import type { Overflow } from "./types.js";

/** Durable or shared subscription of a test broker. */
export interface TopicQueue {
  readonly owner: string;
  readonly topic: string;
  readonly name: string;
  readonly kind: "durable" | "shared";
  readonly selector: Selector | undefined;
  readonly queue: BrokerQueue;
}

/** Topic and name of a subscription, as the members of its frames. */
export type SubscriptionName =
  | { readonly topic: string; readonly durable: string }
  | { readonly topic: string; readonly shared: string };

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_DURABLES = 10;

/** Returns the subscription that a frame names. */
export function toSubscription(frame: JsonObject): SubscriptionName {
  const topic = textOf(frame, "topic");
  const kinds = ["durable", "shared"].filter((kind) => frame[kind] !== undefined);
  const [kind, other] = kinds;
  if (kind === undefined || other !== undefined) throw badFrame("durable or shared", "present");
  const name = textOf(frame, kind);
  if (!NAME.test(name)) throw badFrame(kind, "1 to 64 letters (A-Z), digits, - and _");
  return kind === "durable" ? { topic, durable: name } : { topic, shared: name };
}

/** Durable and shared subscriptions of all clients of a broker. */
export class TopicQueues implements BrokerExtension {
  /** Durable subscriptions that accept no messages, by their keys. */
  readonly overflows = new Map<string, Overflow>();
  readonly #broker: SessionBroker;
  readonly #subscriptions = new Map<string, TopicQueue>();

  constructor(broker: SessionBroker) {
    this.#broker = broker;
  }

  onMessage(message: StoredMessage): boolean {
    const { topic = "" } = message.destination;
    for (const [key, each] of this.#subscriptions) {
      const isReceived = covers(each.topic, topic) && isSelected(each.selector, message);
      if (isReceived && !this.overflows.has(key)) each.queue.add(message);
    }
    return false;
  }

  checkStorable({ topic = "" }: Destination): void {
    for (const [key, { topic: pattern, name }] of this.#subscriptions) {
      if (this.overflows.get(key) === "refuse" && covers(pattern, topic)) {
        throw new FrameError("publish-failed", `durable subscription ${name} is full`);
      }
    }
  }

  onBrokerLost(): void {
    for (const { kind, queue } of this.#subscriptions.values()) {
      queue.takeBack("broker-lost");
      if (kind === "shared") queue.purge();
    }
  }

  onBrokerBack(): void {
    for (const { queue } of this.#subscriptions.values()) queue.dispatch();
  }

  /** Returns a subscription; undefined if it does not exist. */
  find(owner: string, source: SubscriptionName): TopicQueue | undefined {
    return this.#subscriptions.get(keyOf(owner, source));
  }

  /** Returns the queue of a subscription, which is created if it does not exist. */
  open(owner: string, source: SubscriptionName, selector: Selector | undefined): BrokerQueue {
    const key = keyOf(owner, source);
    const known = this.#subscriptions.get(key);
    if (known && known.selector?.text !== selector?.text) {
      const message = "the subscription exists with another selector (where)";
      throw new FrameError("subscription-exists", message);
    }
    if (known) return known.queue;
    if ("durable" in source) this.#checkRoom(owner);
    const queue = this.#broker.createQueue(key);
    const { topic } = source;
    const [kind, name] = partsOf(source);
    this.#subscriptions.set(key, { owner, topic, name, kind, selector, queue });
    return queue;
  }

  /** Removes a shared subscription without consumers. */
  endUnused(owner: string, source: SubscriptionName): void {
    const key = keyOf(owner, source);
    if (this.#subscriptions.get(key)?.queue.consumers === 0) this.#subscriptions.delete(key);
  }

  /** Returns the durable subscriptions of a principal, sorted by topic and name. */
  listOf(owner: string): readonly TopicQueue[] {
    const own = [...this.#subscriptions.values()].filter(
      (each) => each.owner === owner && each.kind === "durable",
    );
    return own.sort((a, b) => order(a.topic, b.topic) || order(a.name, b.name));
  }

  /** Deletes a durable subscription with its messages. */
  delete(owner: string, source: SubscriptionName): void {
    const key = keyOf(owner, source);
    const found = this.#subscriptions.get(key);
    if (!found) {
      throw new FrameError("unknown-subscription", "there is no such durable subscription");
    }
    if (found.queue.consumers > 0) {
      const message = "the subscription has consumers: end them first";
      throw new FrameError("subscription-in-use", message);
    }
    this.#subscriptions.delete(key);
  }

  #checkRoom(owner: string): void {
    if (this.listOf(owner).length < MAX_DURABLES) return;
    const message = `the client has limits.durables (${String(MAX_DURABLES)}) durable subscriptions`;
    throw new FrameError("too-many-subscriptions", message);
  }
}

function partsOf(source: SubscriptionName): readonly ["durable" | "shared", string] {
  return "durable" in source ? ["durable", source.durable] : ["shared", source.shared];
}

/** Returns the key of a subscription: principal, kind, topic and name. */
export function keyOf(owner: string, source: SubscriptionName): string {
  return JSON.stringify([owner, source.topic, ...partsOf(source)]);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
