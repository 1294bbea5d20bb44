import type { Connection } from "./connection.js";
import { settle } from "./client-settlement.js";
import { toSluiceDestination } from "./destinations.js";
import { toJmsException, translated } from "./error-codes.js";
import { JMSException, JMSRuntimeException, TransactionRolledBackException } from "./exceptions.js";
import type { Outgoing } from "./outgoing.js";
import type { Received } from "./received.js";
import type { Settlement, SettlementOwner } from "./settlement.js";
import { settleOthers, Unsettled, type UnsettledMessage } from "./unsettled.js";

/** Codes of failures after which the broker may have committed the transaction. */
const UNKNOWN_OUTCOME: readonly string[] = ["connection-lost", "publish-timeout", "closed"];

/** Sends and delivered messages of a transacted context until commit or rollback. */
export class LocalTransaction implements Settlement {
  readonly isDeferred = true;
  readonly #connection: Connection;
  readonly #unsettled = new Unsettled();
  #sends: Outgoing[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  check(owner: SettlementOwner, received: Received): void {
    const first = this.#unsettled.owner;
    if (!received.delivery || !first || first === owner) return;
    throw new JMSRuntimeException(
      "a transaction has messages of one consumer only; commit or roll back before the next one",
    );
  }

  onDelivered(owner: SettlementOwner, received: Received): void {
    this.#unsettled.add(owner, received);
  }

  onCompleted(): Promise<void> {
    return Promise.resolve();
  }

  onFailed(): Promise<void> {
    return Promise.resolve();
  }

  acknowledge(): Promise<void> {
    return Promise.resolve();
  }

  recover(): Promise<void> {
    return this.rollback();
  }

  /** Adds a message to the transaction. */
  send(outgoing: Outgoing): void {
    this.#sends.push(outgoing);
  }

  /** Publishes and acknowledges everything in one transaction of the broker. */
  async commit(): Promise<void> {
    const sends = this.#takeSends();
    const messages = this.#unsettled.take();
    if (sends.length === 0 && messages.length === 0) return;
    try {
      await this.#connection.ready();
      checkPending(messages);
      await this.#commit(sends, messages.at(-1)?.received);
    } catch (thrown) {
      await settle("release", messages).catch(() => undefined);
      throw toCommitException(thrown);
    }
    await this.#onCommitted(messages);
  }

  /** Drops the sends and returns the delivered messages to their queue. */
  async rollback(): Promise<void> {
    this.#takeSends();
    await settle("release", this.#unsettled.take());
  }

  #commit(sends: readonly Outgoing[], last: Received | undefined): Promise<void> {
    return this.#connection.client.transaction((transaction) => {
      for (const { destination, payload, options, ttl, correlationId, replyTo } of sends) {
        transaction.publish(toSluiceDestination(destination), payload, {
          ...options,
          ...(ttl > 0 && { ttl }),
          ...(correlationId !== null && { correlationId }),
          ...(replyTo && { replyTo: toSluiceDestination(replyTo) }),
        });
      }
      if (last?.delivery) transaction.ack(last.delivery, { upTo: true });
    });
  }

  /** A transaction has messages of one connection; a client that moves has two for a time. */
  async #onCommitted(messages: readonly UnsettledMessage[]): Promise<void> {
    const received = messages.map((message) => message.received);
    try {
      await translated(settleOthers("ack", received));
    } finally {
      for (const { owner } of messages) owner.onSettled();
    }
  }

  #takeSends(): readonly Outgoing[] {
    const sends = this.#sends;
    this.#sends = [];
    return sends;
  }
}

function checkPending(messages: readonly UnsettledMessage[]): void {
  const takenBack = messages.filter(({ received }) => received.isTakenBack).length;
  if (takenBack === 0) return;
  const counts = `${String(takenBack)} of ${String(messages.length)} messages`;
  const message = `${counts} had returned to the queue; the transaction was rolled back`;
  throw new TransactionRolledBackException(message, "not-pending");
}

function toCommitException(thrown: unknown): JMSException {
  const exception = toJmsException(thrown);
  const { message, errorCode, cause } = exception;
  const isUnknown = thrown instanceof JMSException || UNKNOWN_OUTCOME.includes(errorCode);
  return isUnknown ? exception : new TransactionRolledBackException(message, errorCode, cause);
}
