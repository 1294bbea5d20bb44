import type { Clock } from "../clock.js";
import type { Undo } from "../emitter.js";
import type { Outcome } from "./session-host.js";
import type { StoredMessage } from "./stored-message.js";

/** Queue to which the replies of requests are sent. */
export const REPLY_QUEUE = "sluice.replies";

interface Pending {
  readonly timer: unknown;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Requests without a reply, by correlation id. */
export class Requests {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(id: string, timeout: number, onOutcome: (outcome: Outcome) => void): Undo {
    const timer = this.#clock.setTimeout(() => {
      this.#end(id, "timeout");
    }, timeout);
    this.#pending.set(id, { timer, onOutcome });
    return () => {
      this.#remove(id);
    };
  }

  /** Handles a reply; a later one to the same request is dropped. */
  onReply(reply: StoredMessage): void {
    this.#end(reply.correlationId ?? "", reply);
  }

  /** Ends all requests, as no reply can arrive any more. */
  endAll(): void {
    for (const id of [...this.#pending.keys()]) this.#end(id, "no-reply");
  }

  #end(id: string, outcome: Outcome): void {
    this.#remove(id)?.onOutcome(outcome);
  }

  #remove(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#clock.clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
  }
}
