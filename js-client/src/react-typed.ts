import type { PayloadKind } from "./message.js";
import type { MessageHandler } from "./observer.js";
import type { PublishOptions } from "./publish-options.js";
import { useConnection, useGap, useSubscription } from "./react-events.js";
import {
  useMessages,
  usePublish,
  useTopic,
  type MessagesOptions,
  type MessagesView,
  type TopicView,
} from "./react-hooks.js";
import { useClient } from "./react-provider.js";
import type { StandardSchema } from "./standard-schema.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type {
  DefaultMessageOf,
  Lookup,
  MessageOf,
  PublishedAs,
  TopicIn,
  TypedMessage,
} from "./topic-map.js";
import type { TypedClient } from "./typed-client.js";
import { useConsumer } from "./use-consumer.js";

/** Function that publishes with the types of a topic map. */
export type TypedPublish<Topics extends object> = <Topic extends TopicIn<Topics>>(
  topic: Topic,
  payload: PublishedAs<Lookup<Topics, Topic>>,
  options?: PublishOptions,
) => Promise<void>;

/** Hook {@link useTopic} with the types of a topic map. */
export interface TypedUseTopic<Topics extends object> {
  /** With a schema. */
  <Output>(
    topic: TopicIn<Topics> | undefined,
    options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
  ): TopicView<TypedMessage<Output>>;
  /** With payloads of one kind. */
  <Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic | undefined,
    options: SubscribeOptions & { readonly payload: Kind },
  ): TopicView<MessageOf<Topics, Topic, Kind>>;
  /** With the types of `schemas`, or payloads of the kind that was published. */
  <Topic extends TopicIn<Topics>>(
    topic: Topic | undefined,
    options?: SubscribeOptions,
  ): TopicView<DefaultMessageOf<Topics, Topic>>;
}

/** Hook {@link useMessages} with the types of a topic map. */
export interface TypedUseMessages<Topics extends object> {
  /** With a schema. */
  <Output>(
    topic: TopicIn<Topics> | undefined,
    options: MessagesOptions<TypedMessage<Output>> & { readonly schema: StandardSchema<Output> },
  ): MessagesView<TypedMessage<Output>>;
  /** With payloads of one kind. */
  <Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic | undefined,
    options: MessagesOptions<MessageOf<Topics, Topic, Kind>> & { readonly payload: Kind },
  ): MessagesView<MessageOf<Topics, Topic, Kind>>;
  /** With the types of `schemas`, or payloads of the kind that was published. */
  <Topic extends TopicIn<Topics>>(
    topic: Topic | undefined,
    options: MessagesOptions<DefaultMessageOf<Topics, Topic>>,
  ): MessagesView<DefaultMessageOf<Topics, Topic>>;
}

/** Hook {@link useSubscription} with the types of a topic map. */
export interface TypedUseSubscription<Topics extends object> {
  /** With a schema. */
  <Output>(
    topic: TopicIn<Topics> | undefined,
    observer: MessageHandler<TypedMessage<Output>>,
    options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
  ): void;
  /** With payloads of one kind. */
  <Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic | undefined,
    observer: MessageHandler<MessageOf<Topics, Topic, Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): void;
  /** With the types of `schemas`, or payloads of the kind that was published. */
  <Topic extends TopicIn<Topics>>(
    topic: Topic | undefined,
    observer: MessageHandler<DefaultMessageOf<Topics, Topic>>,
    options?: SubscribeOptions,
  ): void;
}

/** Hooks with the types of a topic map, as returned by {@link createHooks}. */
export interface TypedHooks<Topics extends object> {
  /** See {@link useTopic}. */
  readonly useTopic: TypedUseTopic<Topics>;
  /** See {@link useMessages}. */
  readonly useMessages: TypedUseMessages<Topics>;
  /** See {@link useSubscription}. */
  readonly useSubscription: TypedUseSubscription<Topics>;
  /** See {@link usePublish}. */
  readonly usePublish: () => TypedPublish<Topics>;
  /** See {@link useClient}. */
  readonly useClient: () => TypedClient<Topics>;
  /** See {@link useConsumer}. */
  readonly useConsumer: typeof useConsumer;
  /** See {@link useConnection}. */
  readonly useConnection: typeof useConnection;
  /** See {@link useGap}. */
  readonly useGap: typeof useGap;
}

/**
 * Returns the hooks of this module with the types of a topic map, which is that of the provided
 * client. Call it once, outside of components.
 */
export function createHooks<Topics extends object>(): TypedHooks<Topics> {
  const hooks = { useTopic, useMessages, useSubscription, usePublish, useClient };
  return { ...hooks, useConsumer, useConnection, useGap } as never;
}
