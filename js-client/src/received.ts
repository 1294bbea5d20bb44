import type { ClientEmitter } from "./client-events.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { EngineObserver, SubscriptionObserver } from "./observer.js";
import { converting } from "./payload.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap } from "./subscription-state.js";
import type { SchemaMap } from "./topic-map.js";

/** Observer of the application; undefined once its subscription has ended. */
export interface Receiver {
  observer: SubscriptionObserver | undefined;
}

/** Functions of the core that the code for schemas requires. */
export type ValidatorSupport = readonly [
  create: typeof SluiceError,
  convert: typeof converting,
  change: typeof withChanges,
];

/** Returns an observer that converts and validates payloads before it calls the application's. */
export function receiving(
  topic: string,
  observer: SubscriptionObserver,
  options: SubscribeOptions,
  schemas: SchemaMap | undefined,
  events: ClientEmitter,
): EngineObserver {
  const { payload, schema } = options;
  if (!schema && !schemas) return payload ? converting(payload, observer, events.report) : observer;
  const receiver: Receiver = { observer };
  let loading: Promise<(event: Message | Gap) => void> | undefined;
  // Reactions of a promise run in the order of the calls, which keeps that of messages and gaps.
  const relay = (event: Message | Gap): void => {
    loading ??= import("./schema.js").then(({ validating }) =>
      validating(topic, receiver, options, schemas, events, [SluiceError, converting, withChanges]),
    );
    loading
      .then((validate) => {
        validate(event);
      })
      .catch((cause: unknown) => {
        // The next message loads the code again.
        loading = undefined;
        events.onHandlerThrew(cause);
      });
  };
  return {
    ...observer,
    onMessage: relay,
    onGap: relay,
    onEnd: () => {
      receiver.observer = undefined;
    },
  };
}
