import type { Messaging } from "./messaging.js";
import type { Destination, PublishOptions, PublishPayload } from "./publish-options.js";
import type { ConsumeOptions, Queue } from "./queue-types.js";

/** Loads the code for publishing and queues, and calls it. */
export type RunMessaging = <Result>(
  call: (messaging: Messaging) => Result | Promise<Result>,
) => Promise<Result>;

/** Publishes to a destination. JSON is encoded now, as the application may change the value. */
export function publishTo(
  destination: Destination,
  run: (call: (messaging: Pick<Messaging, "publish">) => Promise<void>) => Promise<void>,
  payload: PublishPayload,
  options: PublishOptions | undefined,
): Promise<void> {
  const isContent = typeof payload === "string" || payload instanceof Uint8Array;
  const content = isContent || options?.body ? payload : JSON.stringify(payload);
  return run((messaging) => messaging.publish(destination, content, options));
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
