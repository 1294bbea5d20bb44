import { fromBase64, toBase64 } from "./base64.js";
import { SluiceError } from "./errors.js";
import { Fields } from "./fields.js";
import type { Payload, Properties, SentMessage } from "./message.js";
import { isId } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";

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
  readonly limits: Limits;
}

/** Why messages may be missing. A node may send reasons that are not listed here. */
export type GapReason =
  /** The node's consumer was away and stands again. */
  | "broker-lost"
  /** The node could not keep up and dropped messages. */
  | "overload"
  /** A message was larger than the node forwards. */
  | "too-large"
  /** A message of a kind that the node does not forward. */
  | "unsupported"
  /**
   * The connection was away, and the node has not everything since (found by the client). The
   * application begins anew: the state of now follows as replayed messages.
   */
  | "not-recovered"
  /**
   * The connection ended within a snapshot, which is sent again (found by the client). What the
   * application has of it stays true; the rest follows.
   */
  | "snapshot-cut"
  /** The numbers of the messages have a hole (found by the client). */
  | "missing"
  | (string & {});

/** The answer to a subscribe. */
export interface Subscribed {
  readonly type: "subscribed";
  readonly ref: number | undefined;
  readonly topic: string;
  readonly epoch: string;
  readonly offset: number;
  readonly replay: number;
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

type Parser = (fields: Fields) => NodeFrame;

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ["hello", (f) => ({ type: "hello", hello: parseHello(f) })],
  ["subscribed", parseSubscribed],
  ["channel", parseChannel],
  ["message", (f) => ({ type: "message", message: parseMessage(f) })],
  ["unsubscribed", (f) => ({ type: "unsubscribed", ref: f.optionalCount("ref") })],
  ["published", (f) => ({ type: "published", ref: f.optionalCount("ref") })],
  ["pong", (f) => ({ type: "pong", ref: f.optionalCount("ref"), time: f.count("time") })],
  ["stale", () => ({ type: "stale" })],
  ["live", () => ({ type: "live" })],
  ["gap", parseGap],
  ["caught-up", (f) => ({ type: "caught-up", time: f.count("time") })],
  ["draining", (f) => ({ type: "draining", deadline: f.count("deadline") })],
  ["error", parseError],
]);

/** Parses a text frame from a node; undefined if its type is unknown, which is to be ignored. */
export function parseNodeFrame(text: string): NodeFrame | undefined {
  const fields = Fields.parse(text);
  return PARSERS.get(fields.text("type"))?.(fields);
}

function parseHello(fields: Fields): Hello {
  const limits = fields.object("limits");
  return {
    node: fields.text("node"),
    version: fields.text("version"),
    time: fields.count("time"),
    broker: fields.text("broker") === "down" ? "down" : "up",
    pingInterval: fields.count("pingInterval"),
    limits: {
      messageBytes: limits.count("messageBytes"),
      subscriptions: limits.count("subscriptions"),
      topicLength: limits.count("topicLength"),
      topicDepth: limits.count("topicDepth"),
      publishRate: limits.count("publishRate"),
      overlap: limits.count("overlap"),
    },
  };
}

function parseSubscribed(fields: Fields): Subscribed {
  return {
    type: "subscribed",
    ref: fields.optionalCount("ref"),
    topic: fields.text("topic"),
    epoch: fields.text("epoch"),
    offset: fields.count("offset"),
    replay: fields.optionalCount("replay") ?? 0,
    recovered: fields.optionalFlag("recovered"),
    time: fields.optionalCount("time"),
    channel: fields.optionalCount("channel"),
  };
}

function parseGap(fields: Fields): GapFrame {
  return {
    type: "gap",
    topic: fields.text("topic"),
    reason: fields.text("reason"),
    offset: fields.count("offset"),
    time: fields.count("time"),
  };
}

function parseChannel(fields: Fields): Channel {
  return {
    type: "channel",
    channel: fields.count("channel"),
    pattern: fields.text("pattern"),
    topic: fields.text("topic"),
  };
}

function parseError(fields: Fields): ErrorFrame {
  return {
    type: "error",
    ref: fields.optionalCount("ref"),
    code: fields.text("code"),
    message: fields.text("message"),
    topic: fields.optionalText("topic"),
  };
}

function parseMessage(fields: Fields): SentMessage {
  return {
    topic: fields.text("topic"),
    pattern: fields.optionalText("pattern"),
    offset: fields.count("offset"),
    id: parseId(fields.text("id")),
    time: fields.count("time"),
    properties: fields.properties("properties"),
    ...parsePayload(fields),
  };
}

function parseId(id: string): string {
  if (isId(id)) return id;
  throw new SluiceError("bad-answer", `a message has the id ${id}`);
}

function parsePayload(fields: Fields): Payload {
  const encoding = fields.optionalText("encoding");
  switch (encoding) {
    case undefined:
      return { kind: "text", payload: fields.text("payload") };
    case "json":
      return { kind: "json", payload: fields.json("payload") };
    case "base64":
      return { kind: "bytes", payload: decodeBase64(fields.text("payload")) };
    default:
      throw new SluiceError("bad-answer", `a message has the unknown encoding ${encoding}`);
  }
}

function decodeBase64(text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch (cause) {
    throw new SluiceError("bad-answer", "the payload is not base64", undefined, cause);
  }
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
