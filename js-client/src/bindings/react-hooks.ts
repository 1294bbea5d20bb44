"use client";

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { SluiceError } from "../engine/errors.js";
import type { Message } from "../engine/message.js";
import {
  toRetention,
  toView,
  type MessageView,
  type PayloadOf,
  type ViewOptions,
} from "./message-view.js";
import { EMPTY, MessageWindow, type Retention, type WindowSnapshot } from "./message-window.js";
import type { BindingTypes, MessagesFunction } from "./messages-function.js";
import { valuesOf } from "./options-key.js";
import type { PublishOptions, PublishPayload } from "../engine/publish-options.js";
import { useClient } from "./react-provider.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";
import type { Gap, SubscriptionState } from "../engine/subscription-state.js";
import { topicsOf } from "./window-topics.js";

/** Result of {@link useTopic}. */
export interface TopicView<Received = Message> {
  /** Newest message; undefined before the first one. */
  readonly message: Received | undefined;
  /** Payload of the message. */
  readonly payload: PayloadOf<Received> | undefined;
  /** State of the subscription. */
  readonly state: SubscriptionState;
  /**
   * Error with which the node or the client has refused the subscription, or that of an invalid
   * payload until the next message.
   */
  readonly error: SluiceError | undefined;
  /** Gap after this message: the displayed value may be outdated. */
  readonly gap: Gap | undefined;
}

/** Types of {@link useTopic}. */
export interface TopicTypes extends BindingTypes {
  /** A value. */
  readonly argument: this["of"];
  /** Options of `subscribe`. */
  readonly options: SubscribeOptions;
  /** Newest message. */
  readonly result: TopicView<this["of"]>;
}

/** Types of {@link useMessages}. */
export interface MessagesTypes extends BindingTypes {
  /** A value. */
  readonly argument: this["of"];
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** Retained messages. */
  readonly result: MessageView<this["of"]>;
}

/** Hook {@link useTopic} with the types of a topic map. */
export type TypedUseTopic<Topics extends object> = MessagesFunction<TopicTypes, Topics>;

/** Hook {@link useMessages} with the types of a topic map. */
export type TypedUseMessages<Topics extends object> = MessagesFunction<MessagesTypes, Topics>;

/** Function that publishes like `publish` of the client. */
export type Publish = (
  topic: string,
  payload: PublishPayload,
  options?: PublishOptions,
) => Promise<void>;

const NO_OPTIONS = {};
const NEWEST: Retention = { keep: 1, by: undefined };

/**
 * Returns the newest message of a topic or pattern. The component renders at most once a frame, at
 * any message rate, and always ends up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others.
 *
 * A schema may be another object at each render; that of the first one is used. Another topic or
 * option value selects the current one.
 *
 * @function
 */
export const useTopic: TypedUseTopic<object> = (
  topic: string | undefined,
  options: SubscribeOptions = NO_OPTIONS,
): TopicView<never> => {
  const shown = useMessageWindow(topic, options, NEWEST);
  return useMemo(() => {
    const { message, payload, state, error, gap } = toView(shown);
    return { message, payload, state, error, gap };
  }, [shown]);
};

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. Otherwise like
 * {@link useTopic}.
 *
 * @function
 * @throws SluiceError `invalid-argument`
 */
export const useMessages: TypedUseMessages<object> = (
  topic: string | undefined,
  options: ViewOptions<never> = NO_OPTIONS,
): MessageView<never> => {
  const { keep, by, ...subscribeOptions } = options;
  const shown = useMessageWindow(topic, subscribeOptions, toRetention(keep, by));
  return useMemo(() => toView(shown), [shown]);
};

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
  { keep, by }: Retention,
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
