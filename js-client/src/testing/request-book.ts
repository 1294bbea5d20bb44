import type { BrokerExtension, SessionBroker } from "./session-host.js";
import type { StoredMessage } from "./stored-message.js";

/** Queue to which the replies of requests are sent. */
export const REPLY_QUEUE = "sluice.replies";

/** Requests of all clients of a broker that wait for a reply, by correlation id. */
export class RequestBook implements BrokerExtension {
  readonly #broker: SessionBroker;
  readonly #listeners = new Map<string, (reply: StoredMessage) => void>();

  constructor(broker: SessionBroker) {
    this.#broker = broker;
  }

  /** Adds a request; returns its correlation id. */
  add(onReply: (reply: StoredMessage) => void): string {
    const id = `request-${String(this.#broker.nextSequence())}`;
    this.#listeners.set(id, onReply);
    return id;
  }

  remove(id: string): void {
    this.#listeners.delete(id);
  }

  onMessage(message: StoredMessage): boolean {
    if (message.destination.queue !== REPLY_QUEUE) return false;
    this.#listeners.get(message.correlationId ?? "")?.(message);
    return true;
  }
}
