import type { Client } from "./client-type.js";
import type { PayloadKind } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { PublishOptions } from "./publish-options.js";
import type { Reply, RequestOptions, TypedReply } from "../queues/request-types.js";
import type { StandardSchema } from "./standard-schema.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { DurableSubscription, SharedSubscription } from "../queues/subscription-types.js";
import type {
  DefaultMessageOf,
  KindOf,
  Lookup,
  MessageOf,
  PublishedAs,
  TopicIn,
  TypedMessage,
} from "./topic-map.js";

declare const topics: unique symbol;

/** Topic map of a client; `object` if it has none. */
export type TopicsIn<Used> = Used extends {
  readonly [topics]?: infer Topics extends object;
}
  ? Topics
  : object;

/**
 * Client with a topic map: an interface with the payload type of each topic or pattern, or the
 * `schemas` of `connect`. The exact key takes precedence, then the most specific pattern that covers
 * the topic. Other topics are permitted; they have the types of a {@link Client}.
 *
 * Types of an interface apply to messages with the option `payload`, which converts them. With
 * `schemas` the client converts and validates without it.
 */
export interface TypedClient<Topics extends object> extends Client {
  /** Types only, without a value at run time. */
  readonly [topics]?: Topics;
  /** Subscribes with payloads that a schema validates; otherwise like {@link Client.subscribe}. */
  subscribe<Output>(
    topic: TopicIn<Topics>,
    observer: MessageHandler<TypedMessage<Output>>,
    options: SubscribeOptions & { readonly schema: StandardSchema<Output> },
  ): Subscription<TypedMessage<Output>>;
  /** Subscribes with payloads of one kind, and the type of the topic map. */
  subscribe<Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic,
    observer: MessageHandler<MessageOf<Topics, Topic, Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription<MessageOf<Topics, Topic, Kind>>;
  /** Subscribes with payloads of a type that the publisher guarantees. */
  subscribe<Value>(
    topic: TopicIn<Topics>,
    observer: MessageHandler<TypedMessage<Value>>,
    options: SubscribeOptions & { readonly payload: KindOf<Value> },
  ): Subscription<TypedMessage<Value>>;
  /** Subscribes with the types of `schemas`, or payloads of the kind that was published. */
  subscribe<Topic extends TopicIn<Topics>>(
    topic: Topic,
    observer: MessageHandler<DefaultMessageOf<Topics, Topic>>,
    options?: SubscribeOptions,
  ): Subscription<DefaultMessageOf<Topics, Topic>>;
  /** Returns a subscription for one loop over messages that a schema validates. */
  subscribe<Output>(
    topic: TopicIn<Topics>,
    options: MessagesOptions & { readonly schema: StandardSchema<Output> },
  ): Subscription<TypedMessage<Output>>;
  /** Returns a subscription for a loop, with payloads of one kind and the type of the topic map. */
  subscribe<Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic,
    options: MessagesOptions & { readonly payload: Kind },
  ): Subscription<MessageOf<Topics, Topic, Kind>>;
  /** Returns a subscription for a loop, with payloads of a type that the publisher guarantees. */
  subscribe<Value>(
    topic: TopicIn<Topics>,
    options: MessagesOptions & { readonly payload: KindOf<Value> },
  ): Subscription<TypedMessage<Value>>;
  /** Returns a subscription for a loop, with the types of `schemas` or of the published kind. */
  subscribe<Topic extends TopicIn<Topics>>(
    topic: Topic,
    options?: MessagesOptions,
  ): Subscription<DefaultMessageOf<Topics, Topic>>;
  /** Returns messages that a schema validates; otherwise like {@link Client.messages}. */
  messages<Output>(
    topic: TopicIn<Topics>,
    options: MessagesOptions & { readonly schema: StandardSchema<Output> },
  ): AsyncGenerator<TypedMessage<Output>, void, undefined>;
  /** Returns messages with payloads of one kind, and the type of the topic map. */
  messages<Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<MessageOf<Topics, Topic, Kind>, void, undefined>;
  /** Returns messages with payloads of a type that the publisher guarantees. */
  messages<Value>(
    topic: TopicIn<Topics>,
    options: MessagesOptions & { readonly payload: KindOf<Value> },
  ): AsyncGenerator<TypedMessage<Value>, void, undefined>;
  /** Returns messages with the types of `schemas`, or of the kind that was published. */
  messages<Topic extends TopicIn<Topics>>(
    topic: Topic,
    options?: MessagesOptions,
  ): AsyncGenerator<DefaultMessageOf<Topics, Topic>, void, undefined>;
  /** Publishes a payload with the type of the topic map; otherwise like {@link Client.publish}. */
  publish<Topic extends TopicIn<Topics>>(
    topic: Topic,
    payload: PublishedAs<Lookup<Topics, Topic>>,
    options?: PublishOptions,
  ): Promise<void>;
  /** Sends a request with the type of the topic map; otherwise like {@link Client.request}. */
  request<Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: Topic,
    payload: PublishedAs<Lookup<Topics, Topic>>,
    options: RequestOptions & { readonly reply: Kind },
  ): Promise<Reply<Kind>>;
  /** Sends a request; the reply has a type that the server guarantees. */
  request<Value, Topic extends TopicIn<Topics> = TopicIn<Topics>>(
    topic: Topic,
    payload: PublishedAs<Lookup<Topics, Topic>>,
    options: RequestOptions & { readonly reply: KindOf<Value> },
  ): Promise<TypedReply<Value>>;
  /** Sends a request; the reply has the kind that was published. */
  request<Topic extends TopicIn<Topics>>(
    topic: Topic,
    payload: PublishedAs<Lookup<Topics, Topic>>,
    options?: RequestOptions,
  ): Promise<Reply>;
  /** Returns a durable subscription with the type of the topic map. */
  durable<Topic extends TopicIn<Topics>>(
    topic: Topic,
    name: string,
  ): DurableSubscription<Lookup<Topics, Topic>>;
  /** Returns a shared subscription with the type of the topic map. */
  shared<Topic extends TopicIn<Topics>>(
    topic: Topic,
    name: string,
  ): SharedSubscription<Lookup<Topics, Topic>>;
}
