/// <reference lib="esnext.disposable" preserve="true" />
import { checkFunction, checkObject } from "./arguments.js";
import type { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { Position } from "./position.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";

const CALLBACKS = ["onMessage", "onGap", "onState", "onError", "onPayloadError"] as const;

/**
 * Subscription returned by {@link Client.subscribe}. `for await (const message of subscription)`
 * receives its messages.
 */
export interface Subscription<Received = Message> {
  /** Subscribed topic or pattern. */
  readonly topic: string;
  /**
   * Current position, after the message being delivered, or the latest delivered one. Messages that
   * wait for code, for a schema or in the buffer of a loop are after it. An application can store
   * it and subscribe `from` it later, even in another page. Undefined before the node's first
   * answer, before the first delivery if messages wait, and during a snapshot. Without a handler it
   * is that of the first loop; other loops may be behind.
   */
  readonly position: Position | undefined;
  /** Current state; `onState` of the observer reports each change. */
  readonly state: SubscriptionState;
  /** Ends the subscription, and the loops over its messages. Calling it again does nothing. */
  readonly unsubscribe: () => void;
  /**
   * Returns the next message. Without a handler the subscription starts with the call and ends with
   * the message, as a loop does.
   *
   * @returns a promise that rejects with `closed` if the subscription ends before, and with the
   *   error of the node if it refuses the subscription
   */
  once(): Promise<Received>;
  /** Same as `unsubscribe`, for `using`; absent if the platform has no `Symbol.dispose`. */
  [Symbol.dispose](): void;
  /**
   * Returns the messages as an async iterator, as {@link Client.messages} does. For a
   * subscription with a handler they are those from now on, and the subscription continues after
   * the loop.
   */
  [Symbol.asyncIterator](): AsyncGenerator<Received, void, undefined>;
}

/** Callbacks of one subscriber. They are called as methods of the object. */
export interface SubscriptionObserver<Received = Message> {
  /** Receives a message. Handlers are called sequentially and should return quickly. */
  readonly onMessage: (message: Received) => void;
  /** Called at a point at which messages may be missing. */
  readonly onGap?: ((gap: Gap) => void) | undefined;
  /**
   * Called when the subscription's state has changed; also once initially, unless it is pending.
   */
  readonly onState?: ((state: SubscriptionState) => void) | undefined;
  /**
   * Called when the node refused the subscription, its code could not be loaded (`not-loaded`), or a
   * payload could not be converted (`bad-payload`). Without this callback the client's `error` event reports it.
   */
  readonly onError?: ((error: SluiceError) => void) | undefined;
}

/** Observer that may deliver later than it receives. */
export interface EngineObserver extends SubscriptionObserver {
  /** Called when the subscription has ended; waiting messages are discarded. */
  readonly onEnd?: () => void;
  /** Called with an invalid payload, before `onError` or the event that reports it. */
  readonly onPayloadError?: (error: SluiceError) => void;
  /** Returns the position of the latest delivery. */
  readonly positionOf?: () => Position | undefined;
}

/** Handler of messages: a function, or an observer with more callbacks. */
export type MessageHandler<Received = Message> =
  ((message: Received) => void) | SubscriptionObserver<Received>;

/** Returns whether this is a handler, not options or undefined. */
export function isHandler(value: unknown): boolean {
  const isObject = typeof value === "object" && value !== null;
  return value !== undefined && !(isObject && !CALLBACKS.some((name) => name in value));
}

/**
 * Checks the callbacks of an observer and binds them to it. A bare function becomes `onMessage`.
 */
export function toObserver<Message>(
  observer: ((message: Message) => void) | SubscriptionObserver<Message>,
): SubscriptionObserver<Message> {
  if (typeof observer === "function") return { onMessage: observer };
  checkObject("observer", observer, "a function or an object with onMessage");
  const bound: Record<string, unknown> = {};
  for (const name of CALLBACKS) {
    const callback = (observer as EngineObserver)[name];
    if (callback === undefined && name !== "onMessage") continue;
    checkFunction(name, callback);
    bound[name] = (callback as () => void).bind(observer);
  }
  return bound as unknown as SubscriptionObserver<Message>;
}
