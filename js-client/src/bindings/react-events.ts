"use client";

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { SluiceError } from "../engine/errors.js";
import type { PayloadKind } from "../engine/message.js";
import type { MessageHandler, SubscriptionObserver } from "../engine/observer.js";
import { valuesOf } from "./options-key.js";
import { useClient } from "./react-provider.js";
import type { StandardSchema } from "../engine/standard-schema.js";
import { initialState, type ConnectionState } from "../engine/state.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";
import type { Gap } from "../engine/subscription-state.js";
import type {
  DefaultMessageOf,
  KindOf,
  MessageOf,
  TopicIn,
  TypedMessage,
} from "../engine/topic-map.js";

/** Result of {@link useGap}. */
export interface GapNotice {
  /** Latest gap of any subscription of the client; undefined before the first one. */
  readonly gap: Gap | undefined;
  /** Resets `gap` to undefined until the next gap; the same function at each render. */
  readonly dismiss: () => void;
}

const NO_OPTIONS: SubscribeOptions = {};

/** Returns the connection state. */
export function useConnection(): ConnectionState {
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

/** Returns the latest gap of the client, and a function that dismisses it. */
export function useGap(): GapNotice {
  const client = useClient();
  const [gap, setGap] = useState<Gap>();
  useEffect(() => client.on("gap", setGap), [client]);
  const dismiss = useCallback(() => {
    setGap(undefined);
  }, []);
  return { gap, dismiss };
}

/** Hook {@link useSubscription} with the types of a topic map. */
export interface TypedUseSubscription<Topics extends object> {
  /** With a schema. */
  <Output>(
    topic: TopicIn<Topics> | undefined,
    observer: MessageHandler<TypedMessage<Output>>,
    options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
  ): void;
  /** With payloads of one kind, and the type of the topic map. */
  <Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic | undefined,
    observer: MessageHandler<MessageOf<Topics, Topic, Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): void;
  /** With payloads of a type that the publisher guarantees. */
  <Value>(
    topic: TopicIn<Topics> | undefined,
    observer: MessageHandler<TypedMessage<Value>>,
    options: SubscribeOptions & { readonly payload: KindOf<Value> },
  ): void;
  /** With the types of `schemas`, or payloads of the kind that was published. */
  <Topic extends TopicIn<Topics>>(
    topic: Topic | undefined,
    observer: MessageHandler<DefaultMessageOf<Topics, Topic>>,
    options?: SubscribeOptions,
  ): void;
}

/**
 * Calls a handler for each message of a topic or pattern while the component is mounted, without
 * rendering it. The handler of the latest render is called. Another topic, or another value in the
 * options, replaces the subscription. Without a topic (undefined) there is none.
 *
 * The handler is a function, or an observer such as that of `subscribe`. Its `onError` also receives
 * an invalid topic or option; without it the error is thrown.
 *
 * @function
 */
export const useSubscription: TypedUseSubscription<object> = (
  topic: string | undefined,
  observer: MessageHandler<never>,
  options: SubscribeOptions = NO_OPTIONS,
): void => {
  const client = useClient();
  const current = toObject(observer as MessageHandler);
  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  });
  const hasOnError = current.onError !== undefined;
  useEffect(() => {
    if (topic === undefined) return undefined;
    const onError = (error: SluiceError): void => {
      latest.current.onError?.(error);
    };
    const relay: SubscriptionObserver = {
      onMessage: (message) => {
        latest.current.onMessage(message);
      },
      onGap: (gap) => latest.current.onGap?.(gap),
      onState: (state) => latest.current.onState?.(state),
      ...(hasOnError && { onError }),
    };
    try {
      return client.subscribe(topic, relay, options).unsubscribe;
    } catch (error) {
      if (!(error instanceof SluiceError) || !hasOnError) throw error;
      onError(error);
      return undefined;
    }
    // Each render creates another options object; only its values count.
  }, [client, topic, valuesOf(options), hasOnError]);
};

function toObject(observer: MessageHandler): SubscriptionObserver {
  return typeof observer === "function" ? { onMessage: observer } : observer;
}
