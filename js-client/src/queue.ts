import type { Messaging } from "./messaging.js";
import type { Destination, PublishOptions, PublishPayload } from "./publish-options.js";
import type { ConsumeOptions, Queue } from "./queue-types.js";

/** Loads the code for publishing and queues, and calls it with the time of this call. */
export type RunMessaging = <Result>(
  call: (messaging: Messaging, calledAt: number) => Result | Promise<Result>,
) => Promise<Result>;

/** Publishes to a destination. */
export function publishTo(
  destination: Destination,
  run: RunMessaging,
  payload: PublishPayload,
  options: PublishOptions | undefined,
): Promise<void> {
  const content = toContent(payload, options);
  return run((messaging, now) => messaging.publish(destination, content, options, now));
}

/** Encodes a JSON value at once, as the application may change it after the call. */
export function toContent(
  payload: PublishPayload,
  options: PublishOptions | undefined,
): PublishPayload {
  const isContent = typeof payload === "string" || payload instanceof Uint8Array;
  return isContent || options?.body ? payload : JSON.stringify(payload);
}

/** Returns a queue whose code is loaded when it is used. */
export function createQueue(name: string, run: RunMessaging): Queue {
  return {
    name,
    publish: (payload, options) => publishTo({ queue: name }, run, payload, options),
    consume: (handler: never, options?: ConsumeOptions) =>
      run((messaging) => messaging.consume(name, handler, options)),
    browse: (options?: object) => run((messaging) => messaging.browse(name, options)) as never,
  };
}
