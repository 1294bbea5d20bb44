import type { Messaging } from "../engine/messaging.js";
import type { Queue } from "./queue-types.js";
import type { Source } from "./source.js";
import type { DurableSubscription } from "./subscription-types.js";

/** Functions of {@link Messaging} that the application calls; all have the same parameters. */
export type MessagingCall = Exclude<
  {
    [Name in keyof Messaging]: Messaging[Name] extends (
      source: never,
      content: never,
      options: never,
    ) => Promise<unknown>
      ? Name
      : never;
  }[keyof Messaging],
  undefined
>;

/**
 * Loads the code for publishing and queues, and calls one of its functions.
 *
 * @param source - Topic, queue or subscription.
 * @param content - Payload or function.
 */
export type RunMessaging = <Name extends MessagingCall>(
  name: Name,
  source: Source,
  content?: unknown,
  options?: object,
) => ReturnType<Messaging[Name]>;

/** Returns a queue whose code is loaded when it is used. */
export function createQueue(name: string, run: RunMessaging): Queue {
  const source = { queue: name };
  const browse = (options?: object): unknown => run("browse", source, undefined, options);
  return {
    ...toHandle(source, name, run, ["publish", "request", "consume", "serve"]),
    browse,
  } as never;
}

/** Returns a durable or shared subscription whose code is loaded when it is used. */
export function createSubscription(
  source: Source & { readonly topic: string },
  name: string,
  run: RunMessaging,
): DurableSubscription {
  const { topic } = source;
  return { ...toHandle(source, name, run, ["consume", "serve", "delete"]), topic } as never;
}

/** Returns an object with functions that call the loaded code with a payload or handler. */
function toHandle(
  source: Source,
  name: string,
  run: RunMessaging,
  calls: readonly MessagingCall[],
): object {
  const members = calls.map((call) => [
    call,
    (content?: unknown, options?: object) => run(call, source, content, options),
  ]);
  return { name, ...Object.fromEntries(members) } as object;
}
