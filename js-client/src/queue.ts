import type { Messaging } from "./messaging.js";
import type { Destination, PublishOptions, PublishPayload } from "./publish-options.js";
import type { Queue } from "./queue-types.js";
import type { RequestOptions } from "./request-types.js";
import type { Source } from "./source.js";
import type { DurableSubscription } from "./subscription-types.js";

/** Loads the code for publishing and queues, and calls it. */
export type RunMessaging = <Result>(
  call: (messaging: Messaging) => Result | Promise<Result>,
) => Promise<Result>;

/** Returns the content to send. JSON is encoded now, as the application may change the value. */
export function toContent(
  payload: PublishPayload,
  options: { readonly body?: unknown } | undefined,
): unknown {
  const isContent = typeof payload === "string" || payload instanceof Uint8Array;
  return isContent || options?.body ? payload : JSON.stringify(payload);
}

/** Publishes a message. */
export function publishTo(
  destination: Destination,
  run: RunMessaging,
  payload: PublishPayload,
  options: PublishOptions | undefined,
): Promise<void> {
  const content = toContent(payload, options);
  return run((messaging) => messaging.publish(destination, content, options));
}

/** Sends a request and returns its reply. */
export function requestFrom(
  destination: Destination,
  run: RunMessaging,
  payload: PublishPayload,
  options: RequestOptions | undefined,
): Promise<never> {
  const content = toContent(payload, options);
  return run((messaging) => messaging.request(destination, content, options)) as Promise<never>;
}

/** Returns a queue whose code is loaded when it is used. */
export function createQueue(name: string, run: RunMessaging): Queue {
  const destination = { queue: name };
  return {
    name,
    publish: (payload, options) => publishTo(destination, run, payload, options),
    request: (payload: PublishPayload, options?: RequestOptions) =>
      requestFrom(destination, run, payload, options),
    browse: (options?: object) => run((messaging) => messaging.browse(name, options)) as never,
    ...createConsuming(destination, run),
  };
}

/** Returns a durable or shared subscription whose code is loaded when it is used. */
export function createSubscription(
  kind: "durable" | "shared",
  topic: string,
  name: string,
  run: RunMessaging,
): DurableSubscription {
  const source = { topic, [kind]: name };
  return {
    topic,
    name,
    ...createConsuming(source, run),
    delete: () => run((messaging) => messaging.delete(source)),
  };
}

function createConsuming(source: Source, run: RunMessaging): Pick<Queue, "consume" | "serve"> {
  return {
    consume: (handler: never, options?: object) =>
      run((messaging) => messaging.consume(source, handler, options)),
    serve: (handler: never, options?: object) =>
      run((messaging) => messaging.serve(source, handler, options)),
  };
}
