import type { Received } from "./received.js";
import type { SettlementOwner } from "./settlement.js";

/** Message that was passed to the application and is not settled. */
export interface UnsettledMessage {
  readonly owner: SettlementOwner;
  readonly received: Received;
}

/** Messages of a context that were passed to the application and are not settled, in order. */
export class Unsettled {
  #messages: UnsettledMessage[] = [];

  /** Consumer of the first message. */
  get owner(): SettlementOwner | undefined {
    return this.#messages[0]?.owner;
  }

  add(owner: SettlementOwner, received: Received): void {
    // Messages of plain subscriptions are not settled.
    if (received.delivery) this.#messages.push({ owner, received });
    else owner.onSettled();
  }

  /** Removes and returns all messages. */
  take(): readonly UnsettledMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    for (const { received } of messages) received.isSettled = true;
    return messages;
  }
}

/** Returns the messages of each consumer. */
export function byOwner(
  messages: readonly UnsettledMessage[],
): ReadonlyMap<SettlementOwner, readonly Received[]> {
  const groups = new Map<SettlementOwner, Received[]>();
  for (const { owner, received } of messages) {
    const group = groups.get(owner);
    if (group) group.push(received);
    else groups.set(owner, [received]);
  }
  return groups;
}

/**
 * Settles messages of one consumer that are still pending.
 *
 * One frame settles all messages of a connection up to the last one. While the client moves to
 * another node, messages of the previous connection are settled separately. Those that the frame
 * has settled are not pending any more, which is no error.
 */
export async function settleAll(
  how: "ack" | "release",
  messages: readonly Received[],
): Promise<void> {
  const pending = messages.filter(({ isTakenBack }) => !isTakenBack);
  const last = pending.at(-1)?.delivery?.[how]({ upTo: true });
  await Promise.all([last, settleOthers(how, pending.slice(0, -1))]);
}

/** Settles those messages that no other frame has settled. */
export async function settleOthers(
  how: "ack" | "release",
  messages: readonly Received[],
): Promise<void> {
  const settled = messages.map(async ({ delivery }) => {
    await delivery?.[how]().catch(ignoreSettled);
  });
  await Promise.all(settled);
}

function ignoreSettled(thrown: unknown): void {
  if ((thrown as { readonly code?: unknown }).code !== "not-pending") throw thrown;
}
