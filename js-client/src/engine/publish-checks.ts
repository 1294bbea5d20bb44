import { Lazy } from "./lazy.js";
import type { Destination } from "./publish-options.js";
import { errorAt } from "../queues/queue-error.js";
import type { SchemaMap } from "./topic-map.js";

/**
 * Validation of outgoing payloads with the schemas of a client. One payload is validated after the
 * other, which keeps the order of the calls.
 */
export class PublishChecks {
  readonly #outgoing;
  #last: Promise<unknown> = Promise.resolve();

  constructor(schemas: SchemaMap) {
    this.#outgoing = new Lazy("schema.js", async () => {
      const { Outgoing } = await import("./schema.js");
      return new Outgoing(schemas);
    });
  }

  /** Resolves if the payload for a topic is valid; a queue has no schema. */
  check(destination: Destination, payload: unknown): Promise<void> {
    const checked = this.#last.then(() =>
      this.#outgoing.use((outgoing) =>
        outgoing.check(destination.topic, payload, (code, message, cause) =>
          errorAt(destination, code, message, cause),
        ),
      ),
    );
    this.#last = checked.catch(() => undefined);
    return checked;
  }
}
