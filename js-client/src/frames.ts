import { fromBase64, toBase64 } from "./base64.js";
import { badAnswer } from "./errors.js";
import {
  COUNT,
  FLAG,
  OBJECT,
  optional,
  read,
  TEXT,
  toProperties,
  type Kind,
  type Shape,
} from "./fields.js";
import type { Envelope, Payload, Properties, SentMessage } from "./message.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { isId } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { GapReason } from "./subscription-state.js";

/** The limits of a node that a client can run into. */
export interface Limits {
  /** Largest message from a client, in bytes. */
  readonly messageBytes: number;
  /** Subscriptions a client. */
  readonly subscriptions: number;
  /** Characters of a topic. */
  readonly topicLength: number;
  /** Levels of a topic. */
  readonly topicDepth: number;
  /** Publishes a second. */
  readonly publishRate: number;
  /** Identities of messages that a client remembers for each subscription. */
  readonly overlap: number;
}

/** What a node says of itself when a session opens. */
export interface Hello {
  /** Name of the node. */
  readonly node: string;
  /** Version of the node's software. */
  readonly version: string;
  /** The node's time, milliseconds since 1970. */
  readonly time: number;
  /** Whether the node reaches its broker. */
  readonly broker: "up" | "down";
  /** How often the node shows a sign of life, in milliseconds. */
  readonly pingInterval: number;
  /** What the node takes. */
  readonly limits: Limits;
}

/** The answer to a subscribe. */
export interface Subscribed {
  readonly type: "subscribed";
  readonly ref: number | undefined;
  readonly topic: string;
  readonly epoch: string;
  readonly offset: number;
  readonly replay: number | undefined;
  readonly recovered: boolean | undefined;
  readonly time: number | undefined;
  readonly channel: number | undefined;
}

/** A place in a subscription's stream at which messages may be missing. */
export interface GapFrame {
  readonly type: "gap";
  readonly topic: string;
  readonly reason: GapReason;
  /** The next message is above it. */
  readonly offset: number;
  /** The node's time. */
  readonly time: number;
}

/** The announcement of a channel for messages through a pattern. */
export interface Channel {
  readonly type: "channel";
  readonly channel: number;
  readonly pattern: string;
  readonly topic: string;
}

/** An error as it stands on the wire. */
export interface ErrorFrame {
  readonly type: "error";
  readonly ref: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly topic: string | undefined;
}

/** Text frames from a node, parsed. */
export type NodeFrame =
  | { readonly type: "hello"; readonly hello: Hello }
  | Subscribed
  | Channel
  | { readonly type: "message"; readonly message: SentMessage }
  | { readonly type: "unsubscribed"; readonly ref: number | undefined }
  | { readonly type: "published"; readonly ref: number | undefined }
  | { readonly type: "pong"; readonly ref: number | undefined; readonly time: number }
  | { readonly type: "stale" }
  | { readonly type: "live" }
  | GapFrame
  | { readonly type: "caught-up"; readonly time: number }
  | { readonly type: "draining"; readonly deadline: number }
  | ErrorFrame;

type Members<Type> = Omit<Extract<NodeFrame, { readonly type: Type }>, "type">;
type Shapes<Types extends string> = { readonly [Type in Types]: Shape<Members<Type>> };

const REF = { ref: optional(COUNT) };
const TIME = { time: COUNT };

const SHAPES: Shapes<Exclude<NodeFrame["type"], "hello" | "message">> = {
  subscribed: {
    ...REF,
    topic: TEXT,
    epoch: TEXT,
    offset: COUNT,
    replay: optional(COUNT),
    recovered: optional(FLAG),
    time: optional(COUNT),
    channel: optional(COUNT),
  },
  channel: { channel: COUNT, pattern: TEXT, topic: TEXT },
  unsubscribed: REF,
  published: REF,
  pong: { ...REF, ...TIME },
  stale: {},
  live: {},
  gap: { topic: TEXT, reason: TEXT, offset: COUNT, ...TIME },
  "caught-up": TIME,
  draining: { deadline: COUNT },
  error: { ...REF, code: TEXT, message: TEXT, topic: optional(TEXT) },
};

const HELLO: Shape<Omit<Hello, "broker" | "limits">> = {
  node: TEXT,
  version: TEXT,
  ...TIME,
  pingInterval: COUNT,
};

const LIMITS: Shape<Limits> = {
  messageBytes: COUNT,
  subscriptions: COUNT,
  topicLength: COUNT,
  topicDepth: COUNT,
  publishRate: COUNT,
  overlap: COUNT,
};

const ID: Kind<string> = ["16 hexadecimal digits", isId];

const ENVELOPE: Shape<Omit<Envelope, "properties">> = {
  topic: TEXT,
  pattern: optional(TEXT),
  offset: COUNT,
  id: ID,
  ...TIME,
};

/**
 * Parses a text frame from a node; undefined if its type is unknown, which is to be ignored.
 *
 * @throws SluiceError `bad-answer` if it breaks the protocol
 * @throws SyntaxError if it is no JSON
 */
export function parseNodeFrame(text: string): NodeFrame | undefined {
  const object: unknown = JSON.parse(text);
  if (!isJsonObject(object)) throw badAnswer("JSON that is not an object");
  const { type } = read(object, { type: TEXT });
  if (type === "message") {
    const properties = toProperties(object["properties"] ?? {});
    return { type, message: { ...read(object, ENVELOPE), properties, ...toPayload(object) } };
  }
  if (type === "hello") {
    const { broker, limits } = read(object, { broker: TEXT, limits: OBJECT });
    const hello = { ...read(object, HELLO), limits: read(limits, LIMITS) };
    return { type, hello: { ...hello, broker: broker === "down" ? broker : "up" } };
  }
  const shape = Object.hasOwn(SHAPES, type) && SHAPES[type as keyof typeof SHAPES];
  return shape ? ({ type, ...read<object>(object, shape) } as NodeFrame) : undefined;
}

function toPayload(object: JsonObject): Payload {
  const { encoding, payload } = object;
  if (encoding === "json" && payload !== undefined) return { kind: "json", payload };
  const text = read(object, { payload: TEXT }).payload;
  if (encoding === undefined) return { kind: "text", payload: text };
  if (encoding === "base64") return { kind: "bytes", payload: fromBase64(text) };
  throw badAnswer("a message of an unknown encoding");
}

/** The frame that opens a session. */
export function encodeConnect(token: string | undefined, client: string): string {
  return JSON.stringify({ type: "connect", token, client });
}

/** The frame that subscribes; what is undefined is left out. */
export function encodeSubscribe(
  ref: number,
  topic: string,
  { from, delivery, rate }: SubscribeSettings,
): string {
  return JSON.stringify({ type: "subscribe", ref, topic, from, delivery, rate });
}

/** The frame that ends a subscription. */
export function encodeUnsubscribe(ref: number, topic: string): string {
  return JSON.stringify({ type: "unsubscribe", ref, topic });
}

/** The text frame that publishes; bytes travel as base64. */
export function encodePublish(
  ref: number,
  topic: string,
  payload: string | Uint8Array,
  properties?: Properties,
): string {
  const content =
    typeof payload === "string" ? { payload } : { payload: toBase64(payload), encoding: "base64" };
  return JSON.stringify({ type: "publish", ref, topic, ...content, properties });
}

/** The frame that asks for a pong. */
export function encodePing(ref: number): string {
  return JSON.stringify({ type: "ping", ref });
}
