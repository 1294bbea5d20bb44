"use client";

import { useEffect, useRef, useState } from "react";
import type { Client } from "../engine/client-type.js";
import type { PayloadKind } from "../engine/message.js";
import type { Queue } from "../queues/queue-types.js";
import type { ConsumeOptions, Consumer, ConsumerState } from "../queues/consumer-types.js";
import type { DeliveryHandler, TypedDeliveryHandler } from "../queues/delivery-types.js";
import { SluiceError } from "../engine/errors.js";
import type { StandardSchema } from "../engine/standard-schema.js";
import { useClient } from "./react-provider.js";

/** Durable or shared subscription for {@link useConsumer}, as values. */
export type SubscriptionSource =
  | {
      /** Topic or pattern. */
      readonly topic: string;
      /** Name of the durable subscription. */
      readonly durable: string;
      /** Absent. */
      readonly shared?: undefined;
    }
  | {
      /** Topic or pattern. */
      readonly topic: string;
      /** Name of the shared subscription. */
      readonly shared: string;
      /** Absent. */
      readonly durable?: undefined;
    };

/** Options of {@link useConsumer}: those of `consume` that a component can provide. */
export type UseConsumerOptions = Omit<ConsumeOptions, "signal" | "onState">;

const PENDING: ConsumerState = { status: "pending" };
const NO_OPTIONS: UseConsumerOptions = {};

/**
 * Consumes a queue, or a durable or shared subscription, while the component is mounted, and returns the state of the consumer. Each
 * message is passed to the handler of the latest render. After an unmount, running handlers are
 * completed and their messages settled.
 *
 * Another source, or another value in the options, replaces the consumer. Functions may change at
 * each render.
 *
 * @param source - Name of a queue, or a subscription such as `{ topic: "orders.>", durable:
 *   "desk-1" }`; undefined for no consumer.
 */
export function useConsumer<Output>(
  source: string | SubscriptionSource | undefined,
  handler: TypedDeliveryHandler<Output>,
  options: UseConsumerOptions & { readonly schema: StandardSchema<Output> },
): ConsumerState;
/** Consumes without a schema. */
export function useConsumer<Kind extends PayloadKind = PayloadKind>(
  source: string | SubscriptionSource | undefined,
  handler: DeliveryHandler<Kind>,
  options?: UseConsumerOptions & { readonly payload?: Kind },
): ConsumerState;
export function useConsumer(
  source: string | SubscriptionSource | undefined,
  handler: DeliveryHandler<never>,
  options: UseConsumerOptions = NO_OPTIONS,
): ConsumerState {
  const client = useClient();
  const [state, setState] = useState(PENDING);
  const latest = useRef({ handler, options });
  useEffect(() => {
    latest.current = { handler, options };
  });
  // Each render creates another options object; only its values count.
  const values = JSON.stringify({ ...options, schema: options.schema !== undefined });
  const key = source && JSON.stringify(source);
  const hasOnError = options.onError !== undefined;
  useEffect(() => {
    if (key === undefined) return undefined;
    let isActive = true;
    const show = (shown: ConsumerState): void => {
      if (isActive) setState(shown);
    };
    const onError = hasOnError
      ? (error: SluiceError) => latest.current.options.onError?.(error)
      : undefined;
    const consuming: Promise<Consumer> = consumable(client, key).consume(
      (delivery) => latest.current.handler(delivery as never),
      {
        ...latest.current.options,
        ...(onError ? { onError } : {}),
        onState: show,
      },
    );
    consuming.catch((error: unknown) => {
      if (error instanceof SluiceError) show({ status: "refused", error });
    });
    return () => {
      isActive = false;
      setState(PENDING);
      consuming.then(
        (consumer) => consumer.close(),
        () => undefined,
      );
    };
  }, [client, key, values, hasOnError]);
  return state;
}

/** Returns the queue or the subscription of a source in JSON. */
function consumable(client: Client, key: string): Pick<Queue, "consume"> {
  const source = JSON.parse(key) as string | SubscriptionSource;
  if (typeof source === "string") return client.queue(source);
  const { topic, durable, shared } = source;
  return durable === undefined ? client.shared(topic, shared) : client.durable(topic, durable);
}
