import type { ClientEmitter } from "./client-events.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message } from "./message.js";
import type { EngineObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap } from "./subscription-state.js";
import type { SchemaMap } from "./topic-map.js";

/** Message or gap with the position after it. */
export type Arrival = readonly [event: Message | Gap, position: Position | undefined];

/** Observer of the application, and the progress of the deliveries to it. */
export interface Receiver {
  /** Undefined once its subscription has ended. */
  observer: EngineObserver | undefined;
  /**
   * Messages and gaps in their order; the first one may be being delivered. The one at
   * {@link MAX_WAITING} is not delivered: each later one replaces it, and a gap takes its place.
   */
  readonly waiting: Arrival[];
  /** Position of the latest message or gap that was delivered or is being delivered. */
  position: Position | undefined;
}

/** Functions of the core that the code for payloads requires. */
export type ValidatorSupport = readonly [
  create: typeof SluiceError,
  change: typeof withChanges,
  maxWaiting: number,
];

/** Maximum number of messages that wait for code or for their validation. */
export const MAX_WAITING = 10_000;

/**
 * Returns an observer that converts and validates payloads before it calls the application's. Its
 * code is loaded with the subscription, while the connection is being opened. Messages wait for it;
 * above {@link MAX_WAITING} they are dropped, with a gap. It is not loaded again after a failure,
 * because browsers cache that.
 *
 * @param positionOf - Returns the position after the message that has just arrived.
 * @param fail - Ends the subscription, whose code cannot be loaded.
 */
export function receiving(
  topic: string,
  observer: EngineObserver,
  options: SubscribeOptions,
  schemas: SchemaMap | undefined,
  events: ClientEmitter,
  positionOf: () => Position | undefined,
  fail: (error: SluiceError) => void,
): EngineObserver & { readonly positionOf: typeof positionOf } {
  if (!options.payload && !options.schema && !schemas) return { ...observer, positionOf };
  const waiting: Arrival[] = [];
  const receiver: Receiver = { observer, waiting, position: undefined };
  let deliver: (() => void) | undefined;
  import("./schema.js")
    .then(({ validating }) => {
      const support = [SluiceError, withChanges, MAX_WAITING] as const;
      deliver = validating(topic, receiver, options, schemas, events, support);
      deliver();
    })
    .catch((cause: unknown) => {
      if (receiver.observer) fail(new SluiceError("not-loaded", String(cause), topic));
    });
  const relay = (event: Message | Gap): void => {
    waiting[Math.min(waiting.length, MAX_WAITING)] = [event, positionOf()];
    deliver?.();
  };
  const current = (): Position | undefined =>
    waiting[0] || !receiver.observer ? receiver.position : positionOf();
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
