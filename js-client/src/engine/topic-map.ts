import type {
  Envelope,
  Message,
  Payload,
  PayloadKind,
  PayloadTypes,
  Reception,
} from "./message.js";
import type { PublishPayload } from "./publish-options.js";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.js";

/** Entry of `schemas`: a schema of parsed JSON, a kind without a schema, or both. */
export type SchemaEntry =
  | StandardSchema
  | PayloadKind
  | {
      /** Kind to which payloads are converted before they are validated. */
      readonly payload: PayloadKind;
      /** Schema of the converted payloads. */
      readonly schema: StandardSchema;
    };

/** Schemas and kinds by topic or pattern. */
export type SchemaMap = Readonly<Record<string, SchemaEntry>>;

declare const converted: unique symbol;

/** Payload in a topic map that the client converts and validates without options of a call. */
export interface Converted<Output, Input = Output> {
  /** Types only, without a value at run time. */
  readonly [converted]: readonly [output: Output, input: Input];
}

/** Topic map of the schemas of a client. */
export type TopicsOf<Schemas> = {
  readonly [Topic in keyof Schemas]: Converted<
    EntryOutput<Schemas[Topic]>,
    EntryInput<Schemas[Topic]>
  >;
};

/** Topic map whose payloads the client converts. */
export type ConvertedTopics<Topics> = {
  readonly [Topic in keyof Topics]: Converted<Topics[Topic]>;
};

/** Schemas and kinds for all topics of a topic map. */
export type SchemasFor<Topics> = {
  readonly [Topic in keyof Topics]:
    | KindOf<Topics[Topic]>
    | StandardSchema<Topics[Topic]>
    | {
        /** Kind to which payloads are converted before they are validated. */
        readonly payload: PayloadKind;
        /** Schema of the converted payloads. */
        readonly schema: StandardSchema<Topics[Topic]>;
      };
};

/** Kinds to which payloads of a type can be converted. */
export type KindOf<Value> = [Value] extends [string]
  ? "text" | "json"
  : [Value] extends [Uint8Array]
    ? "bytes"
    : "json";

/**
 * Type of a topic or pattern in a topic map, in a tuple; an empty tuple if the map has none. The
 * exact key takes precedence, then the most specific pattern that covers the topic.
 */
export type Lookup<Topics, Topic extends string> = string extends Topic
  ? []
  : Topic extends keyof Topics
    ? [Topics[Topic]]
    : LookupKey<Topics, Covering<keyof Topics & string, Topic>>;

type LookupKey<Topics, Keys> = [Keys] extends [never]
  ? []
  : MostSpecific<Keys & string> extends infer Key extends keyof Topics
    ? [Topics[Key]]
    : never;

/** Patterns that cover a topic or pattern. */
type Covering<Pattern extends string, Topic extends string> = Pattern extends string
  ? Covers<Pattern, Topic> extends true
    ? Pattern
    : never
  : never;

type Covers<Pattern extends string, Topic extends string> = Pattern extends ">"
  ? true
  : Pattern extends `${infer Level}.${infer Rest}`
    ? Topic extends `${infer TopicLevel}.${infer TopicRest}`
      ? CoversLevel<Level, TopicLevel> extends true
        ? Covers<Rest, TopicRest>
        : false
      : false
    : Topic extends ">" | `${string}.${string}`
      ? false
      : CoversLevel<Pattern, Topic>;

type CoversLevel<Level, TopicLevel> = Level extends "*"
  ? true
  : TopicLevel extends Level
    ? true
    : false;

/** Pattern that is more specific than all others. */
type MostSpecific<Patterns extends string> = {
  [Pattern in Patterns]: Exclude<Patterns, Pattern> extends infer Others extends string
    ? [MoreSpecific<Others, Pattern>] extends [false]
      ? Pattern
      : never
    : never;
}[Patterns];

/** True if a pattern is more specific than another one of the same topic; false without one. */
type MoreSpecific<Pattern extends string, Other extends string> = [Pattern] extends [never]
  ? false
  : Pattern extends string
    ? FirstLevel<Pattern> extends FirstLevel<Other>
      ? MoreSpecific<OtherLevels<Pattern>, OtherLevels<Other>>
      : FirstLevel<Other> extends ">"
        ? true
        : FirstLevel<Other> extends "*"
          ? FirstLevel<Pattern> extends ">"
            ? false
            : true
          : false
    : never;

type FirstLevel<Pattern> = Pattern extends `${infer Level}.${string}` ? Level : Pattern;

type OtherLevels<Pattern> = Pattern extends `${string}.${infer Rest}` ? Rest : never;

/** Payload of a received message with the type of a lookup. */
export type PayloadAs<Mapped, Kind extends PayloadKind> = Mapped extends [infer Value]
  ? TypedPayload<ReceivedAs<Value, Kind>, Kind>
  : Payload<Kind>;

/** Payload of a received message without the option `payload`. */
export type DefaultPayloadAs<Mapped> = Mapped extends [Converted<infer Output, unknown>]
  ? TypedPayload<Output>
  : Payload;

type ReceivedAs<Value, Kind extends PayloadKind> =
  Value extends Converted<infer Output, unknown>
    ? Output
    : Kind extends "json"
      ? Value
      : Value extends PayloadTypes[Kind]
        ? Value
        : PayloadTypes[Kind];

/** Payload to publish with the type of a lookup. */
export type PublishedAs<Mapped> = Mapped extends [infer Value]
  ? Value extends Converted<unknown, infer Input>
    ? Input
    : Value
  : PublishPayload;

/** Payload of a known type. `kind` is the kind from which it was converted. */
export interface TypedPayload<Value, Kind extends PayloadKind = PayloadKind> {
  /** Kind of the message's payload. */
  readonly kind: Kind;
  /** Content of the message; empty (`null` for JSON) in one with `removed`. */
  readonly payload: Value;
}

/** Message with a payload of a known type. */
export type TypedMessage<Value, Kind extends PayloadKind = PayloadKind> = TypedPayload<
  Value,
  Kind
> &
  Envelope &
  Reception;

/** Message of a topic with this value of the option `payload`. */
export type MessageOf<Topics, Topic extends string, Kind extends PayloadKind> =
  Lookup<Topics, Topic> extends [unknown]
    ? PayloadAs<Lookup<Topics, Topic>, Kind> & Envelope & Reception
    : Message<Kind>;

/** Message of a topic without the option `payload`. */
export type DefaultMessageOf<Topics, Topic extends string> =
  Lookup<Topics, Topic> extends [Converted<unknown, unknown>]
    ? DefaultPayloadAs<Lookup<Topics, Topic>> & Envelope & Reception
    : Message;

/** Any topic; an editor suggests the keys of a topic map. */
export type TopicIn<Topics> = (keyof Topics & string) | (string & {});

type EntryOutput<Entry> = Entry extends PayloadKind
  ? PayloadTypes[Entry]
  : Entry extends StandardSchema
    ? OutputOf<Entry>
    : Entry extends { readonly schema: infer Schema extends StandardSchema }
      ? OutputOf<Schema>
      : never;

type EntryInput<Entry> = Entry extends "json"
  ? PublishPayload
  : Entry extends PayloadKind
    ? PayloadTypes[Entry]
    : Entry extends StandardSchema
      ? InputOf<Entry>
      : Entry extends { readonly schema: infer Schema extends StandardSchema }
        ? InputOf<Schema>
        : never;
