import { fromBase64 } from "./base64.js";
import { protocolError } from "./errors.js";
import { checkMembers, isCount, isId, shape, toProperties, type Shaped } from "./fields.js";
import { NO_PROPERTIES, type Payload, type MessageFrame } from "./message.js";
import type { JsonObject } from "./json.js";
import type { SubscribeSettings } from "./subscribe-options.js";
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
  /** Subject of the credential; empty without a credential, undefined for older nodes. */
  readonly subject: string | undefined;
  /** Expiry of the credential in node time; undefined if it does not expire. */
  readonly expires: number | undefined;
  /** The node's time, milliseconds since 1970. */
  readonly time: number;
  /** `up` if the node is connected to its broker. */
  readonly broker: "up" | "down";
  /**
   * `verified` or `property` if messages have the same ids on all nodes; with `none`, a resume on
   * another node is never recovered. Undefined for older nodes.
   */
  readonly identity: string | undefined;
  /** Interval of the node's heartbeats, in milliseconds. */
  readonly pingInterval: number;
  /** Limits that apply to this client. */
  readonly limits: Limits;
  /**
   * Optional features of the node, such as `queues` and `publish-id`; undefined for older nodes.
   */
  readonly features: readonly string[] | undefined;
}

/** Members by frame type, for the check and for the type of the frame; see {@link shape}. */
const FRAMES = {
  hello: "node$ version$ session$? time broker$ identity$? pingInterval limits{ features{?",
  subscribed:
    "ref? topic$ source$? epoch$ offset ids#? replay? recovered!? time? channel? tagged!?",
  channel: "channel pattern$ topic$",
  message: "ref? topic$ pattern$? offset time",
  refreshed: "ref?",
  pong: "ref? time",
  gap: "ref? topic$ reason$ offset time epoch$? ids#?",
  "caught-up": "time",
  draining: "deadline url$?",
  redirect: "url$",
  stale: "sources{?",
  live: "",
  error: "ref? code$ message$ topic$?",
} as const;

const SHAPES = new Map(Object.entries(FRAMES).map(([type, members]) => [type, shape(members)]));

/** The only limit that this code depends on. */
const LIMITS = shape("overlap");

const TEXT = shape("payload$");

/** Checked frame of a type. */
type Frame<Type extends keyof typeof FRAMES> = { readonly type: Type } & Shaped<
  (typeof FRAMES)[Type]
>;

/** Answer to a subscribe. */
export type Subscribed = Frame<"subscribed">;

/**
 * Point of a subscription's stream at which messages may be missing. `ref` is the number of a tagged
 * subscription. `offset` is a lower bound: the next message has a higher one.
 */
export type GapFrame = Frame<"gap">;

/** Assignment of a channel to a topic that matches a pattern. */
export type Channel = Frame<"channel">;

/** Error as encoded on the wire. */
export type ErrorFrame = Frame<"error">;

/** Frame that the core of the client does not parse: of a publish or a queue, or unknown. */
export interface OtherFrame {
  readonly type: "other";
  readonly frame: JsonObject | ArrayBuffer;
}

/** Parsed text frame from a node. */
export type NodeFrame =
  | { readonly type: "hello"; readonly hello: Hello }
  | { readonly type: "message"; readonly message: MessageFrame }
  | { [Type in Exclude<keyof typeof FRAMES, "hello" | "message">]: Frame<Type> }[Exclude<
      keyof typeof FRAMES,
      "hello" | "message"
    >]
  | OtherFrame;

/**
 * Parses a text frame from a node. An unreadable frame of a known type becomes a message with an
 * `error`, or the refusal of what it answers: PROTOCOL.md, section 2.
 *
 * @throws SluiceError `bad-answer` if the frame has no type
 * @throws SyntaxError if the text is invalid JSON
 */
export function parseNodeFrame(text: string): NodeFrame {
  const object = Object(JSON.parse(text)) as JsonObject;
  const type = object["type"] as keyof typeof FRAMES;
  const members = SHAPES.get(type);
  if (!members) {
    if (typeof type === "string") return { type: "other", frame: object };
    throw protocolError("no type");
  }
  try {
    checkMembers(object, members, type);
    if (type === "message") return { type, message: toMessageFrame(object) };
    if (type !== "hello") return object as unknown as NodeFrame;
    checkMembers(object["limits"] as JsonObject, LIMITS, "limits");
    return { type, hello: object as unknown as Hello };
  } catch (error) {
    return toUnreadable(type, object, error as Error);
  }
}

function toUnreadable(type: string, object: JsonObject, error: Error): NodeFrame {
  const { ref, offset, id } = object;
  if (type !== "message" && type !== "gap") {
    return { type: "error", code: "bad-answer", message: error.message, ref: ref as number };
  }
  const known = {
    ...object,
    offset: isCount(offset) ? offset : undefined,
    id: isId(id) ? id : undefined,
    error,
  };
  return { type: "message", message: known as unknown as MessageFrame };
}

/** Returns the checked message of a frame. */
export function toMessageFrame(object: JsonObject): MessageFrame {
  const { id, properties = NO_PROPERTIES, removed } = object;
  if (!isId(id)) throw protocolError("id must be 16 hex digits");
  return {
    ...object,
    properties: toProperties(properties),
    removed: removed === true,
    ...toPayload(object),
  } as unknown as MessageFrame;
}

function toPayload(object: JsonObject): Payload {
  const { encoding, payload } = object;
  if (encoding === "json" && payload !== undefined) return { kind: "json", payload };
  checkMembers(object, TEXT, "message");
  const text = payload as string;
  if (encoding === undefined) return { kind: "text", payload: text };
  if (encoding === "base64") return { kind: "bytes", payload: fromBase64(text) };
  throw protocolError(`unknown encoding ${encoding as string}`);
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
