import { useEffect, useRef, useState } from "react";
import type { PayloadKind } from "./message.js";
import type { ConsumeOptions, Consumer, ConsumerState } from "./consumer-types.js";
import type { DeliveryHandler } from "./delivery-types.js";
import { SluiceError } from "./errors.js";
import { useClient } from "./react-provider.js";

/** Options of {@link useConsumer}: those of `consume` that a component can provide. */
export type UseConsumerOptions = Omit<ConsumeOptions, "signal" | "onState">;

const PENDING: ConsumerState = { status: "pending" };
const NO_OPTIONS: UseConsumerOptions = {};

/**
 * Consumes a queue while the component is mounted, and returns the state of the consumer. Each
 * message is passed to the handler of the latest render. After an unmount, running handlers are
 * completed and their messages settled.
 *
 * Another queue, or another value in the options, replaces the consumer. Functions may change at
 * each render.
 *
 * @param queue - Undefined for no consumer.
 */
export function useConsumer<Kind extends PayloadKind = PayloadKind>(
  queue: string | undefined,
  handler: DeliveryHandler<Kind>,
  options: UseConsumerOptions & { readonly payload?: Kind } = NO_OPTIONS as object,
): ConsumerState {
  const client = useClient();
  const [state, setState] = useState(PENDING);
  const latest = useRef({ handler, options });
  useEffect(() => {
    latest.current = { handler, options };
  });
  // Each render creates another options object; only its values count.
  const values = JSON.stringify(options);
  const hasOnError = options.onError !== undefined;
  useEffect(() => {
    if (queue === undefined) return undefined;
    let isActive = true;
    const show = (shown: ConsumerState): void => {
      if (isActive) setState(shown);
    };
    const onError = hasOnError
      ? (error: SluiceError) => latest.current.options.onError?.(error)
      : undefined;
    const consuming: Promise<Consumer> = client
      .queue(queue)
      .consume((delivery) => latest.current.handler(delivery as never), {
        ...latest.current.options,
        ...(onError ? { onError } : {}),
        onState: show,
      });
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
  }, [client, queue, values, hasOnError]);
  return state;
}
