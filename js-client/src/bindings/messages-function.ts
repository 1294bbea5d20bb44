import type { Client } from "../engine/client-type.js";
import type { PayloadKind } from "../engine/message.js";
import type { StandardSchema } from "../engine/standard-schema.js";
import type {
  DefaultMessageOf,
  KindOf,
  MessageOf,
  TopicIn,
  TypedMessage,
} from "../engine/topic-map.js";
import type { TopicsIn } from "../engine/typed-client.js";

/**
 * Types in which the message functions of frameworks differ, as functions of the type `of`. A
 * framework extends this interface and uses `this["of"]`.
 */
export interface BindingTypes {
  /** Type of the messages, or of an argument. */
  readonly of: unknown;
  /** Argument with a value of the type `of`, for example also a getter. */
  readonly argument: unknown;
  /** Options for messages of the type `of`. */
  readonly options: unknown;
  /** Result for messages of the type `of`. */
  readonly result: unknown;
}

/** Argument of a framework with a value of a type. */
export type ArgumentOf<Types extends BindingTypes, Value> = (Types & {
  readonly of: Value;
})["argument"];

/** Options of a framework for messages of a type, with further members. */
export type OptionsOf<Types extends BindingTypes, Received, Members = unknown> = ArgumentOf<
  Types,
  (Types & { readonly of: Received })["options"] & Members
>;

/** Result of a framework for messages of a type. */
export type ResultOf<Types extends BindingTypes, Received> = (Types & {
  readonly of: Received;
})["result"];

/**
 * Function that returns messages of a topic or pattern; undefined for no subscription. The types of
 * the payloads are those of `schema`, of the topic map, or of the type argument.
 */
export interface MessagesFunction<Types extends BindingTypes, Topics extends object = object> {
  /** With a schema. */
  <Output>(
    topic: ArgumentOf<Types, TopicIn<Topics> | undefined>,
    options: OptionsOf<Types, TypedMessage<Output>, { readonly schema: StandardSchema<Output> }>,
  ): ResultOf<Types, TypedMessage<Output>>;
  /** With payloads of one kind, and the type of the topic map. */
  <Topic extends TopicIn<Topics>, Kind extends PayloadKind>(
    topic: ArgumentOf<Types, Topic | undefined>,
    options: OptionsOf<Types, MessageOf<Topics, Topic, Kind>, { readonly payload: Kind }>,
  ): ResultOf<Types, MessageOf<Topics, Topic, Kind>>;
  /** With payloads of a type that the publisher guarantees. */
  <Value>(
    topic: ArgumentOf<Types, TopicIn<Topics> | undefined>,
    options: OptionsOf<Types, TypedMessage<Value>, { readonly payload: KindOf<Value> }>,
  ): ResultOf<Types, TypedMessage<Value>>;
  /** With the types of `schemas`, or payloads of the kind that was published. */
  <Topic extends TopicIn<Topics>>(
    topic: ArgumentOf<Types, Topic | undefined>,
    options?: OptionsOf<Types, DefaultMessageOf<Topics, Topic>>,
  ): ResultOf<Types, DefaultMessageOf<Topics, Topic>>;
}

/** Like {@link MessagesFunction}, with the client and its topic map as first argument. */
export interface ClientMessagesFunction<Types extends BindingTypes> {
  /** With a schema. */
  <Output>(
    client: Client,
    topic: ArgumentOf<Types, string | undefined>,
    options: OptionsOf<Types, TypedMessage<Output>, { readonly schema: StandardSchema<Output> }>,
  ): ResultOf<Types, TypedMessage<Output>>;
  /** With payloads of one kind, and the type of the client's topic map. */
  <Used extends Client, Topic extends TopicIn<TopicsIn<Used>>, Kind extends PayloadKind>(
    client: Used,
    topic: ArgumentOf<Types, Topic | undefined>,
    options: OptionsOf<Types, MessageOf<TopicsIn<Used>, Topic, Kind>, { readonly payload: Kind }>,
  ): ResultOf<Types, MessageOf<TopicsIn<Used>, Topic, Kind>>;
  /** With payloads of a type that the publisher guarantees. */
  <Value>(
    client: Client,
    topic: ArgumentOf<Types, string | undefined>,
    options: OptionsOf<Types, TypedMessage<Value>, { readonly payload: KindOf<Value> }>,
  ): ResultOf<Types, TypedMessage<Value>>;
  /** With the types of the client's `schemas`, or payloads of the kind that was published. */
  <Used extends Client, Topic extends TopicIn<TopicsIn<Used>>>(
    client: Used,
    topic: ArgumentOf<Types, Topic | undefined>,
    options?: OptionsOf<Types, DefaultMessageOf<TopicsIn<Used>, Topic>>,
  ): ResultOf<Types, DefaultMessageOf<TopicsIn<Used>, Topic>>;
}
