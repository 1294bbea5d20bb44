"use client";

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { SluiceError } from "./errors.js";
import { invalidArgument } from "./errors.js";
import type { Message, Payload } from "./message.js";
import {
  EMPTY,
  errorOf,
  MessageWindow,
  type KeyOf,
  type WindowSnapshot,
} from "./message-window.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import { useClient } from "./react-provider.js";
import { initialState, type ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";
import { topicsOf } from "./window-topics.js";

/** Status of a subscription, as returned by both message hooks. */
export interface TopicStatus {
  /** State of the subscription. */
  readonly state: SubscriptionState;
  /** Error with which the node or the client has refused the subscription. */
  readonly error: SluiceError | undefined;
}

/** Result of {@link useTopic}. */
export interface TopicView extends TopicStatus {
  /** Newest message; undefined before the first one. */
  readonly message: Message | undefined;
  /** Payload of the message. */
  readonly payload: Payload["payload"];
  /** Gap after this message: the displayed value may be outdated. */
  readonly gap: Gap | undefined;
}

/** Options of {@link useMessages}: those of the subscription, and the retention. */
export interface MessagesOptions extends SubscribeOptions {
  /** Maximum number of messages, or of keys, 1 to 1,000,000; the oldest ones are removed. */
  readonly keep: number;
  /**
   * Returns the key of a message: only the newest message of each key is retained. It must be pure.
   */
  readonly by?: KeyOf;
}

/** Result of {@link useMessages}. */
export interface MessagesView extends TopicStatus {
  /** Messages in the order of arrival, the newest last. */
  readonly messages: readonly Message[];
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

/** Returns the connection state. */
export function useConnectionState(): ConnectionState {
  const client = useClient();
  const subscribe = useCallback(
    (onChange: () => void) =>
      client.on("state", () => {
        onChange();
      }),
    [client],
  );
  return useSyncExternalStore(
    subscribe,
    () => client.state,
    () => initialState,
  );
}

/**
 * Returns the newest message of a topic or pattern. The component renders at most once a frame, at
 * any message rate, and always ends up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others. While a topic is subscribed, another `delivery` or `rate` for it results
 * in the `error` `invalid-argument`.
 *
 * @param topic - Undefined for no subscription.
 */
export function useTopic(
  topic: string | undefined,
  options: SubscribeOptions = NO_OPTIONS,
): TopicView {
  const shown = useMessageWindow(topic, options, 1, undefined);
  return useMemo(() => {
    const { messages, state, gap } = shown;
    const message = messages.at(-1);
    return { message, payload: message?.payload, state, gap, error: errorOf(state) };
  }, [shown]);
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. Otherwise like
 * {@link useTopic}.
 *
 * @throws SluiceError `invalid-argument`
 */
export function useMessages(topic: string | undefined, options: MessagesOptions): MessagesView {
  const { keep, by, ...subscribeOptions } = options;
  if (!Number.isInteger(keep) || keep < 1 || keep > MAX_KEEP) {
    throw invalidArgument("keep", "a whole number from 1 to 1000000", keep);
  }
  const shown = useMessageWindow(topic, subscribeOptions, keep, by);
  return useMemo(() => ({ ...shown, error: errorOf(shown.state) }), [shown]);
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
  const values = JSON.stringify(options);
  const window = useMemo(
    () => new MessageWindow(topicsOf(client), topic, options, { keep, by }),
    [client, topic, values],
  );
  useEffect(() => {
    window.retain({ keep, by });
  }, [window, keep, by]);
  return useSyncExternalStore(window.subscribe, window.snapshot, () => EMPTY);
}
