import type { ConsumeOptions } from "./consumer-types.js";
import type { Delivery } from "./delivery-types.js";
import type { SluiceError } from "../engine/errors.js";
import { Lazy } from "../engine/lazy.js";
import type { PayloadKind } from "../engine/message.js";
import { errorAt } from "./queue-error.js";
import type { Source } from "./source.js";
import type { SchemaMap } from "../engine/topic-map.js";

/** Valid delivery, or the error of an invalid one and its settlement. */
type CheckedDelivery =
  | { readonly delivery: Delivery; readonly error?: undefined }
  | { readonly error: SluiceError; readonly settlement: "reject" | "release" };

/** Validation of the messages of one consumer; its code is loaded by the first message. */
export class DeliveryCheck {
  readonly #source: Source;
  readonly #loaded;
  #invalid = 0;

  constructor(source: Source, options: ConsumeOptions, schemas: SchemaMap | undefined) {
    this.#source = source;
    this.#loaded = new Lazy("schema.js", async () => {
      const { ruleOf, check, describe, withIssues } = await import("../engine/schema.js");
      return { rule: ruleOf(source.topic, options, schemas), check, describe, withIssues };
    });
  }

  /** Returns the kind to which payloads are converted. */
  async kind(): Promise<PayloadKind | undefined> {
    const { rule } = await this.#loaded.get();
    return rule.payload;
  }

  /**
   * Validates a message. An invalid one is rejected, because each further delivery would fail too;
   * one whose validation failed is released.
   */
  async check(delivery: Delivery): Promise<CheckedDelivery> {
    const { rule, check, describe, withIssues } = await this.#loaded.get();
    const result = await check(rule.schema, delivery.payload);
    if (!result.issues) {
      return { delivery: { ...delivery, payload: result.value } as Delivery };
    }
    const { issues, cause } = result;
    const text = `the payload is invalid: ${describe(issues)}`;
    const error = errorAt(this.#source, "invalid-payload", text, cause);
    return {
      error: withIssues(error, issues, delivery, ++this.#invalid),
      settlement: cause === undefined ? "reject" : "release",
    };
  }
}
