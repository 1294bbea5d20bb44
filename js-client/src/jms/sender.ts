import type { Client } from "../index.js";
import { toSluiceDestination, Topic, type Destination } from "./destinations.js";
import { translated } from "./error-codes.js";
import { InvalidDestinationException, JMSRuntimeException } from "./exceptions.js";
import type { Outgoing } from "./outgoing.js";
import { fromReply } from "./received.js";
import { replyLinkOf } from "./reply-links.js";
import { TemporaryQueue } from "./temporary-queue.js";
import type { LocalTransaction } from "./transaction.js";

/** Sends the messages of a context: as publish, request or response, or with its transaction. */
export class Sender {
  readonly #client: Client;
  readonly #transaction: LocalTransaction | undefined;
  /** Random beginning of the identities of requests. */
  readonly #prefix = `ID:${Math.random().toString(36).slice(2)}-`;
  #requests = 0;

  constructor(client: Client, transaction: LocalTransaction | undefined) {
    this.#client = client;
    this.#transaction = transaction;
  }

  send(outgoing: Outgoing): Promise<void> {
    const { destination, replyTo } = outgoing;
    checkRemote(destination);
    if (replyTo instanceof TemporaryQueue) return this.#request(outgoing, replyTo);
    if (this.#transaction) {
      this.#transaction.send(outgoing);
      return Promise.resolve();
    }
    return translated(this.#respond(outgoing) ?? this.#publish(outgoing));
  }

  #publish(outgoing: Outgoing): Promise<void> {
    const { payload, options, correlationId, replyTo } = outgoing;
    const destination = toSluiceDestination(outgoing.destination);
    const all = {
      ...options,
      ...ttlOf(outgoing),
      ...(correlationId !== null && { correlationId }),
      ...(replyTo && { replyTo: toSluiceDestination(replyTo) }),
    };
    return destination.topic === undefined
      ? this.#client.queue(destination.queue).publish(payload, all)
      : this.#client.publish(destination.topic, payload, all);
  }

  /** Answers a pending message; undefined if the destination is not that of a pending message. */
  #respond(outgoing: Outgoing): Promise<void> | undefined {
    const { destination, payload, options } = outgoing;
    return replyLinkOf(destination)?.respond(payload, { ...options, ...ttlOf(outgoing) });
  }

  async #request(outgoing: Outgoing, replies: TemporaryQueue): Promise<void> {
    if (this.#transaction) {
      throw new JMSRuntimeException("a transacted context cannot use a temporary queue");
    }
    replies.checkRoom();
    const { message, payload, ttl } = outgoing;
    const messageId = `${this.#prefix}${String(++this.#requests)}`;
    message.headers.messageId = messageId;
    const destination = toSluiceDestination(outgoing.destination);
    const options = { ...outgoing.options, ...(ttl > 0 && { timeout: ttl }) };
    const reply = await translated(
      destination.topic === undefined
        ? this.#client.queue(destination.queue).request(payload, options)
        : this.#client.request(destination.topic, payload, options),
    );
    replies.deliver(fromReply(reply, replies, outgoing.correlationId ?? messageId));
  }
}

function ttlOf({ ttl }: Outgoing): { readonly ttl?: number } {
  return ttl > 0 ? { ttl } : {};
}

function checkRemote(destination: Destination): void {
  if (!(destination instanceof TemporaryQueue)) return;
  throw new InvalidDestinationException(
    "a temporary queue is a JMSReplyTo only; the node sends replies to it",
  );
}

/** Returns the topic of a destination that may have subscriptions with a name. */
export function topicOf(destination: Destination): string {
  if (destination instanceof Topic) return destination.getTopicName();
  throw new InvalidDestinationException("a subscription requires a Topic");
}
