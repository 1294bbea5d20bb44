import { fromBase64 } from "./base64.js";
import { protocolError } from "./errors.js";
import { checkMembers, read, shape, toProperties } from "./fields.js";
import { NO_PROPERTIES, type Payload, type MessageFrame } from "./message.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { isId } from "./position.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { GapReason } from "./subscription-state.js";
import { VERSION } from "./version.js";

/** Limits of a node that a client can reach. */
export interface Limits {
  /** Largest message from a client, in bytes. */
  readonly messageBytes: number;
  /** Maximum number of subscriptions of a client. */
  readonly subscriptions: number;
  /** Maximum length of a topic, in characters. */
  readonly topicLength: number;
  /** Maximum number of levels of a topic. */
  readonly topicDepth: number;
  /** Maximum publishes per second. */
  readonly publishRate: number;
  /** Number of message identities that a client remembers for each subscription. */
  readonly overlap: number;
}

/** Description of a node, sent when a session opens. */
export interface Hello {
  /** Name of the node. */
  readonly node: string;
  /** Version of the node's software. */
  readonly version: string;
  /** Identifier of the session, for operators. */
  readonly session: string | undefined;
  /** Expiry of the credential in node time; undefined if it does not expire. */
  readonly expires: number | undefined;
  /** The node's time, milliseconds since 1970. */
  readonly time: number;
  /** `up` if the node is connected to its broker. */
  readonly broker: "up" | "down";
  /** Interval of the node's heartbeats, in milliseconds. */
  readonly pingInterval: number;
  /** Limits that apply to this client. */
  readonly limits: Limits;
  /**
   * Optional features of the node, such as `queues` and `publish-id`; undefined for older nodes.
   */
  readonly features: readonly string[] | undefined;
}

/** Answer to a subscribe. */
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
  readonly tagged: boolean | undefined;
}

/** Point of a subscription's stream at which messages may be missing. */
export interface GapFrame {
  readonly type: "gap";
  /** Number of a tagged subscription. */
  readonly ref: number | undefined;
  readonly topic: string;
  readonly reason: GapReason;
  /** Lower bound: the next message has a higher offset. */
  readonly offset: number;
  /** Node time, milliseconds since 1970. */
  readonly time: number;
}

/** Assignment of a channel to a topic that matches a pattern. */
export interface Channel {
  readonly type: "channel";
  readonly channel: number;
  readonly pattern: string;
  readonly topic: string;
}

/** Error as encoded on the wire. */
export interface ErrorFrame {
  readonly type: "error";
  readonly ref: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly topic: string | undefined;
}

/** Frame that the core of the client does not parse: of a publish or a queue, or unknown. */
export interface OtherFrame {
  readonly type: "other";
  readonly frame: JsonObject | ArrayBuffer;
}

/** Parsed text frame from a node. */
export type NodeFrame =
  | { readonly type: "hello"; readonly hello: Hello }
  | Subscribed
  | Channel
  | { readonly type: "message"; readonly message: MessageFrame }
  | {
      readonly type: "refreshed";
      readonly ref: number | undefined;
      /** Expiry of the credential, as in {@link Hello}. */
      readonly expires: number | undefined;
    }
  | OtherFrame
  | { readonly type: "pong"; readonly ref: number | undefined; readonly time: number }
  | { readonly type: "stale" }
  | { readonly type: "live" }
  | GapFrame
  | { readonly type: "caught-up"; readonly time: number }
  | {
      readonly type: "draining";
      readonly deadline: number;
      /** Address to use; undefined for the application's own addresses. */
      readonly url: string | undefined;
    }
  | { readonly type: "redirect"; readonly url: string }
  | ErrorFrame;

// Members by frame type; for the signs see `shape`.
const SHAPES = new Map(
  Object.entries({
    hello: "node$ version$ session$? expires? time broker$ pingInterval limits{ features{?",
    subscribed: "ref? topic$ epoch$ offset replay? recovered!? time? channel? tagged!?",
    channel: "channel pattern$ topic$",
    message: "ref? topic$ pattern$? offset time",
    refreshed: "ref? expires?",
    pong: "ref? time",
    gap: "ref? topic$ reason$ offset time",
    "caught-up": "time",
    draining: "deadline url$?",
    redirect: "url$",
    stale: "",
    live: "",
    error: "ref? code$ message$ topic$?",
  }).map(([type, names]) => [type, shape(names)]),
);
const LIMITS = shape("messageBytes subscriptions topicLength topicDepth publishRate overlap");
const TYPE = shape("type$");
const PAYLOAD = shape("payload$");

/**
 * Parses a text frame from a node.
 *
 * @throws SluiceError `bad-answer` if the frame violates the protocol
 * @throws SyntaxError if the text is invalid JSON
 */
export function parseNodeFrame(text: string): NodeFrame {
  const object: unknown = JSON.parse(text);
  if (!isJsonObject(object)) throw protocolError("JSON must be an object");
  checkMembers(object, TYPE);
  const type = object["type"] as NodeFrame["type"];
  const members = SHAPES.get(type);
  if (!members) return { type: "other", frame: object };
  if (type === "message") {
    checkMembers(object, members);
    return { type, message: toMessageFrame(object) };
  }
  const frame = read(object, members);
  if (type === "hello") return { type, hello: toHello(frame) };
  return { type, ...frame } as NodeFrame;
}

/** Returns the checked message of a frame. */
export function toMessageFrame(object: JsonObject): MessageFrame {
  const { ref, topic, pattern, offset, id, time, properties } = object;
  if (!isId(id)) throw protocolError("id of message must be 16 hexadecimal digits");
  const { kind, payload } = toPayload(object);
  return {
    ref,
    topic,
    pattern,
    offset,
    id,
    time,
    properties: properties === undefined ? NO_PROPERTIES : toProperties(properties),
    removed: object["removed"] === true,
    kind,
    payload,
  } as MessageFrame;
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
  throw protocolError(`unknown encoding ${JSON.stringify(encoding)}`);
}

/**
 * Encodes the frame that opens a session; undefined members are omitted.
 *
 * @param isRedirected - Whether the node must not redirect the client before its hello.
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

/** Encodes a subscribe frame; undefined members are omitted. */
export function encodeSubscribe(
  ref: number,
  topic: string,
  { from, delivery, rate, where }: SubscribeSettings,
  isTagged: boolean,
): string {
  const tagged = isTagged || undefined;
  return JSON.stringify({ type: "subscribe", ref, topic, where, tagged, from, delivery, rate });
}

/**
 * Encodes an unsubscribe frame.
 *
 * @param subscription - Number of a tagged subscription; undefined for a plain one.
 */
export function encodeUnsubscribe(ref: number, topic: string, subscription?: number): string {
  return JSON.stringify({ type: "unsubscribe", ref, topic, subscription });
}
