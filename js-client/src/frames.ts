import { fromBase64 } from "./base64.js";
import { badAnswer } from "./errors.js";
import { checkMembers, read, shape, toProperties } from "./fields.js";
import { NO_PROPERTIES, type Payload, type SentMessage } from "./message.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { isId } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { GapReason } from "./subscription-state.js";
import { VERSION } from "./version.js";

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
  /** Name of the session, for the operator. */
  readonly session: string | undefined;
  /** When the credential ends, by the node's clock; undefined if it has no end. */
  readonly expires: number | undefined;
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
  | {
      readonly type: "refreshed";
      readonly ref: number | undefined;
      /** As in {@link Hello}. */
      readonly expires: number | undefined;
    }
  | { readonly type: "unsubscribed"; readonly ref: number | undefined }
  | { readonly type: "published"; readonly ref: number | undefined }
  | { readonly type: "pong"; readonly ref: number | undefined; readonly time: number }
  | { readonly type: "stale" }
  | { readonly type: "live" }
  | GapFrame
  | { readonly type: "caught-up"; readonly time: number }
  | {
      readonly type: "draining";
      readonly deadline: number;
      /** Where to go; undefined is an address of the application's. */
      readonly url: string | undefined;
    }
  | { readonly type: "redirect"; readonly url: string }
  | ErrorFrame;

// Of each type of frame, but for those that have no members.
const SHAPES = new Map(
  Object.entries({
    hello: "node version session? expires? time broker pingInterval limits",
    subscribed: "ref? topic epoch offset replay? recovered? time? channel?",
    channel: "channel pattern topic",
    message: "topic pattern? offset time",
    refreshed: "ref? expires?",
    unsubscribed: "ref?",
    published: "ref?",
    pong: "ref? time",
    gap: "topic reason offset time",
    "caught-up": "time",
    draining: "deadline url?",
    redirect: "url",
    error: "ref? code message topic?",
  }).map(([type, names]) => [type, shape(names)]),
);
const WITHOUT_MEMBERS = ["stale", "live"];
const LIMITS = shape("messageBytes subscriptions topicLength topicDepth publishRate overlap");
const TYPE = shape("type");
const PAYLOAD = shape("payload");

/**
 * Parses a text frame from a node; undefined if its type is unknown, which is to be ignored.
 *
 * @throws SluiceError `bad-answer` if it breaks the protocol
 * @throws SyntaxError if it is no JSON
 */
export function parseNodeFrame(text: string): NodeFrame | undefined {
  const object: unknown = JSON.parse(text);
  if (!isJsonObject(object)) throw badAnswer("JSON that is not an object");
  checkMembers(object, TYPE);
  const type = object["type"] as NodeFrame["type"];
  const members = SHAPES.get(type);
  if (!members) return WITHOUT_MEMBERS.includes(type) ? ({ type } as NodeFrame) : undefined;
  if (type === "message") {
    checkMembers(object, members);
    return { type, message: toSentMessage(object) };
  }
  const frame = read(object, members);
  if (type === "hello") return { type, hello: toHello(frame) };
  return { type, ...frame } as NodeFrame;
}

function toSentMessage(object: JsonObject): SentMessage {
  const { topic, pattern, offset, id, time, properties } = object;
  if (!isId(id)) throw badAnswer("id of message must be 16 hexadecimal digits");
  const { kind, payload } = toPayload(object);
  return {
    topic,
    pattern,
    offset,
    id,
    time,
    properties: properties === undefined ? NO_PROPERTIES : toProperties(properties),
    kind,
    payload,
  } as SentMessage;
}

function toHello(frame: JsonObject): Hello {
  const limits = read(frame["limits"] as JsonObject, LIMITS);
  const broker = frame["broker"] === "down" ? "down" : "up";
  return { ...frame, limits, broker } as unknown as Hello;
}

function toPayload(object: JsonObject): Payload {
  const { encoding, payload } = object;
  if (encoding === "json" && payload !== undefined) return { kind: "json", payload };
  checkMembers(object, PAYLOAD);
  const text = payload as string;
  if (encoding === undefined) return { kind: "text", payload: text };
  if (encoding === "base64") return { kind: "bytes", payload: fromBase64(text) };
  throw badAnswer("a message of an unknown encoding");
}

/**
 * The frame that opens a session; what is undefined is left out.
 *
 * @param isRedirected - It is not to be sent elsewhere before its hello.
 */
export function encodeConnect(
  token: string | undefined,
  { redirect }: { readonly redirect: boolean },
  isRedirected: boolean,
): string {
  return JSON.stringify({
    type: "connect",
    token,
    client: `sluice-js/${VERSION}`,
    redirect: redirect || undefined,
    redirected: (redirect && isRedirected) || undefined,
  });
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

/** The frame that asks for a pong. */
export function encodePing(ref: number): string {
  return JSON.stringify({ type: "ping", ref });
}
