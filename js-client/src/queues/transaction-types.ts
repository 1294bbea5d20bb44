import type { Destination, PublishOptions, PublishPayload } from "../engine/publish-options.js";
import type { Delivery, SettleOptions } from "./delivery-types.js";

/** Options of a message that is published in a transaction. */
export type TransactionPublishOptions = Omit<PublishOptions, "id">;

/** Content of a transaction, collected by the function that `client.transaction` calls. */
export interface Transaction {
  /**
   * Publishes a message when the transaction is committed.
   *
   * @param topic - A topic, or a destination such as `{ queue: "orders" }`.
   * @throws SluiceError `invalid-argument`
   */
  publish(
    topic: string | Destination,
    payload: PublishPayload,
    options?: TransactionPublishOptions,
  ): void;
  /**
   * Acknowledges a message when the transaction is committed. All acknowledged messages belong to
   * one consumer.
   *
   * @throws SluiceError `invalid-argument`, or `not-pending`
   */
  ack(delivery: Delivery, options?: SettleOptions): void;
}
