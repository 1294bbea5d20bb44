import type { ClientEmitter } from "./client-events.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { EngineObserver, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap } from "./subscription-state.js";
import type { SchemaMap } from "./topic-map.js";

/** Observer of the application, and the progress of the deliveries to it. */
export interface Receiver {
  /** Undefined once its subscription has ended. */
  observer: SubscriptionObserver | undefined;
  /** Number of messages and gaps that are not delivered yet. */
  waiting: number;
  /** Position of the latest message or gap that was delivered or is being delivered. */
  position: Position | undefined;
}

/** Functions of the core that the code for payloads requires. */
export type ValidatorSupport = readonly [create: typeof SluiceError, change: typeof withChanges];

/**
 * Returns an observer that converts and validates payloads before it calls the application's. Its
 * code is loaded with the subscription, while the connection is being opened.
 *
 * @param positionOf - Returns the position after the message that has just arrived.
 */
export function receiving(
  topic: string,
  observer: SubscriptionObserver,
  options: SubscribeOptions,
  schemas: SchemaMap | undefined,
  events: ClientEmitter,
  positionOf: () => Position | undefined,
): EngineObserver & { readonly positionOf: typeof positionOf } {
  if (!options.payload && !options.schema && !schemas) return { ...observer, positionOf };
  const receiver: Receiver = { observer, waiting: 0, position: undefined };
  let loading: Promise<(event: Message | Gap, position: Position | undefined) => void> | undefined;
  const load = (): NonNullable<typeof loading> =>
    (loading ??= import("./schema.js").then(({ validating }) =>
      validating(topic, receiver, options, schemas, events, [SluiceError, withChanges]),
    ));
  // Reactions of a promise run in the order of the calls, which keeps that of messages and gaps.
  const relay = (event: Message | Gap): void => {
    const position = positionOf();
    receiver.waiting++;
    load()
      .then((validate) => {
        validate(event, position);
      })
      .catch((cause: unknown) => {
        // The next message loads the code again.
        loading = undefined;
        receiver.waiting--;
        events.onHandlerThrew(cause, topic);
      });
  };
  // A failure is reported with the first message.
  load().catch(() => undefined);
  const current = (): Position | undefined =>
    receiver.waiting > 0 || !receiver.observer ? receiver.position : positionOf();
  return {
    ...observer,
    onMessage: relay,
    onGap: relay,
    onEnd: () => {
      receiver.position = current();
      receiver.observer = undefined;
    },
    positionOf: current,
  };
}
