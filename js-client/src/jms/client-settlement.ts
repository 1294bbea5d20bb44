import { translated } from "./error-codes.js";
import { JMSException } from "./exceptions.js";
import type { Received } from "./received.js";
import type { Settlement, SettlementOwner } from "./settlement.js";
import { byOwner, settleAll, Unsettled, type UnsettledMessage } from "./unsettled.js";

/** Settles messages when the application acknowledges them: CLIENT_ACKNOWLEDGE. */
export class ClientSettlement implements Settlement {
  readonly isDeferred = true;
  readonly #unsettled = new Unsettled();

  check(): void {
    // Messages of several consumers are acknowledged together.
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

  async acknowledge(): Promise<void> {
    const messages = this.#unsettled.take();
    const takenBack = messages.filter(({ received }) => received.isTakenBack).length;
    await settle("ack", messages);
    if (takenBack === 0) return;
    const counts = `${String(takenBack)} of ${String(messages.length)} messages`;
    const message = `${counts} had returned to the queue and will be delivered again`;
    throw new JMSException(message, "not-pending");
  }

  recover(): Promise<void> {
    return settle("release", this.#unsettled.take());
  }
}

/** Settles the messages of all consumers. */
export async function settle(
  how: "ack" | "release",
  messages: readonly UnsettledMessage[],
): Promise<void> {
  const groups = byOwner(messages);
  try {
    const settled = [...groups.values()].map((received) => settleAll(how, received));
    await translated(Promise.all(settled));
  } finally {
    for (const { owner } of messages) owner.onSettled();
  }
}
