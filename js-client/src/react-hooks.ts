"use client";

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { SluiceError } from "./errors.js";
import { invalidArgument } from "./errors.js";
import type { Message, PayloadKind } from "./message.js";
import {
  EMPTY,
  errorOf,
  MessageWindow,
  type KeyOf,
  type WindowSnapshot,
} from "./message-window.js";
import { valuesOf } from "./options-key.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import { useClient } from "./react-provider.js";
import type { StandardSchema } from "./standard-schema.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";
import type { KindOf, TypedMessage } from "./topic-map.js";
import { topicsOf } from "./window-topics.js";

/** Status of a subscription, as returned by both message hooks. */
export interface TopicStatus {
  /** State of the subscription. */
  readonly state: SubscriptionState;
  /** Error with which the node or the client has refused the subscription. */
  readonly error: SluiceError | undefined;
}

/** Result of {@link useTopic}. */
export interface TopicView<
  Received extends Pick<Message, "payload"> = Message,
> extends TopicStatus {
  /** Newest message; undefined before the first one. */
  readonly message: Received | undefined;
  /** Payload of the message. */
  readonly payload: Received["payload"] | undefined;
  /** Gap after this message: the displayed value may be outdated. */
  readonly gap: Gap | undefined;
}

/** Options of {@link useMessages}: those of the subscription, and the retention. */
export interface MessagesOptions<Received = Message> extends SubscribeOptions {
  /** Maximum number of messages, or of keys, 1 to 1,000,000; the oldest ones are removed. */
  readonly keep: number;
  /**
   * Returns the key of a message: only the newest message of each key is retained, at the place of
   * the first one. It must be pure. Above `keep`, the key that has not changed for longest is
   * removed.
   */
  readonly by?: (message: Received) => unknown;
}

/** Result of {@link useMessages}. */
export interface MessagesView<Received = Message> extends TopicStatus {
  /** Messages in the order of arrival; with `by` in the order in which keys first appeared. */
  readonly messages: readonly Received[];
  /** Gap between these messages or after the last one. */
  readonly gap: Gap | undefined;
}

/** Function that publishes like `publish` of the client. */
export type Publish = (
  topic: string,
  payload: PublishPayload,
  options?: PublishOptions,
) => Promise<void>;

const MAX_KEEP = 1_000_000;
const NO_OPTIONS: SubscribeOptions = {};

/**
 * Returns the newest message of a topic or pattern. The component renders at most once a frame, at
 * any message rate, and always ends up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others. While a topic is subscribed, another `delivery` or `rate` for it results
 * in the `error` `invalid-argument`.
 *
 * A schema may be another object at each render; that of the first one is used. Another topic or
 * option value selects the current one.
 *
 * @param topic - Undefined for no subscription.
 */
export function useTopic<Output>(
  topic: string | undefined,
  options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
): TopicView<TypedMessage<Output>>;
/** Returns the newest message with a payload of one kind. */
export function useTopic<Kind extends PayloadKind>(
  topic: string | undefined,
  options: SubscribeOptions & { readonly payload: Kind },
): TopicView<Message<Kind>>;
/** Returns the newest message with a payload of a type that the publisher guarantees. */
export function useTopic<Value>(
  topic: string | undefined,
  options: SubscribeOptions & { readonly payload: KindOf<Value> },
): TopicView<TypedMessage<Value>>;
/** Returns the newest message with a payload of the kind that was published. */
export function useTopic(topic: string | undefined, options?: SubscribeOptions): TopicView;
export function useTopic(
  topic: string | undefined,
  options: SubscribeOptions = NO_OPTIONS,
): TopicView<never> {
  const shown = useMessageWindow(topic, options, 1, undefined);
  return useMemo(() => {
    const { newest, state, gap } = shown;
    const message = newest as undefined;
    return { message, payload: newest?.payload as never, state, gap, error: errorOf(state) };
  }, [shown]);
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. Otherwise like
 * {@link useTopic}.
 *
 * @throws SluiceError `invalid-argument`
 */
export function useMessages<Output>(
  topic: string | undefined,
  options: MessagesOptions<TypedMessage<Output>> & { readonly schema: StandardSchema<Output> },
): MessagesView<TypedMessage<Output>>;
/** Returns the latest messages with payloads of one kind. */
export function useMessages<Kind extends PayloadKind>(
  topic: string | undefined,
  options: MessagesOptions<Message<Kind>> & { readonly payload: Kind },
): MessagesView<Message<Kind>>;
/** Returns the latest messages with payloads of a type that the publisher guarantees. */
export function useMessages<Value>(
  topic: string | undefined,
  options: MessagesOptions<TypedMessage<Value>> & { readonly payload: KindOf<Value> },
): MessagesView<TypedMessage<Value>>;
/** Returns the latest messages with payloads of the kind that was published. */
export function useMessages(topic: string | undefined, options: MessagesOptions): MessagesView;
export function useMessages(
  topic: string | undefined,
  options: MessagesOptions<never>,
): MessagesView<never> {
  const { keep, by, ...subscribeOptions } = options;
  if (!Number.isInteger(keep) || keep < 1 || keep > MAX_KEEP) {
    throw invalidArgument("keep", "a whole number from 1 to 1000000", keep);
  }
  const shown = useMessageWindow(topic, subscribeOptions, keep, by as KeyOf | undefined);
  return useMemo(() => {
    const { messages, state, gap } = shown;
    return { messages: messages as readonly never[], state, gap, error: errorOf(state) };
  }, [shown]);
}

/** Returns a function that publishes; it is the same at each render. */
export function usePublish(): Publish {
  const client = useClient();
  return useCallback<Publish>(
    (topic, payload, options) => client.publish(topic, payload, options),
    [client],
  );
}

function useMessageWindow(
  topic: string | undefined,
  options: SubscribeOptions,
  keep: number,
  by: KeyOf | undefined,
): WindowSnapshot {
  const client = useClient();
  // Each render creates another options object; only its values count.
  const values = valuesOf(options);
  const window = useMemo(
    () => new MessageWindow(topicsOf(client), topic, options, { keep, by }),
    [client, topic, values],
  );
  useEffect(() => {
    window.retain({ keep, by });
  }, [window, keep, by]);
  return useSyncExternalStore(window.subscribe, window.snapshot, () => EMPTY);
}
