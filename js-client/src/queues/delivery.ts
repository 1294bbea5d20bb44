import { checkOneOf } from "../engine/arguments.js";
import type { BinaryMessage } from "../engine/binary.js";
import { protocolError, toSluiceError, type SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import type { MessageFrame, Payload, PayloadKind } from "../engine/message.js";
import type { Destination } from "../engine/publish-options.js";
import type { Source } from "./source.js";
import type { QueueEnvelope, QueueMessage } from "./delivery-types.js";

/** Message of a consumer; the consumer adds the name of its queue or topic. */
export type DeliveredMessage = Payload & Omit<QueueEnvelope, "queue">;

/** Parsed delivery. */
export interface DeliveryFrame {
  /** Request number of the consumer, or of the browse. */
  readonly ref: number;
  /** Number of the message in its consumer, from 1; 0 in answer to a browse. */
  readonly tag: number;
  /** True if these are only the low 32 bits of the number. */
  readonly isTagLow: boolean;
  /** The message, or why the rest of the frame is unreadable. */
  readonly message: DeliveredMessage | SluiceError;
}

/** Parsers of the core for messages of topics, which have the same payloads and identities. */
export type MessageParsers = readonly [
  parseMessage: (frame: JsonObject) => MessageFrame,
  parseBinaryMessage: (frame: ArrayBuffer) => BinaryMessage | undefined,
];

// Bits 0-3 of a frame's first byte are its type, bits 4 and 5 the kind of its payload.
const TYPE = 0x0f;
const KIND = 0x30;
const MESSAGE = 0x01;
const DELIVERY = 0x02;
const HAS_MEMBERS = 0x40;
const REDELIVERED = 0x80;
const HEADER = 21;
const MESSAGE_HEADER = 20;
const ID_AND_TIME = 9;

/** Parses a delivery in JSON; throws if its `ref` or `tag` is unreadable. */
export function parseDelivery(frame: JsonObject, [parseMessage]: MessageParsers): DeliveryFrame {
  const { ref, tag = 0 } = frame;
  if (!isWhole(ref) || !isWhole(tag)) {
    throw protocolError("ref and tag of delivery must be whole numbers");
  }
  const message = orError(() => {
    if (!isWhole(frame["time"])) throw protocolError("time of delivery must be a whole number");
    const { id, time, properties, kind, payload } = parseMessage(frame);
    const content = { ...toMembers(frame), id, time, properties, kind, payload };
    return { ...content, redelivered: toRedelivered(frame, false) } as DeliveredMessage;
  });
  return { ref, tag, isTagLow: false, message };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Returns the message, or the error with which its parser failed. */
function orError(parse: () => DeliveredMessage): DeliveredMessage | SluiceError {
  try {
    return parse();
  } catch (error) {
    return toSluiceError(error);
  }
}

/**
 * Parses a binary delivery; throws if its `ref` or `tag` is missing. Returns undefined for another
 * type of frame, which is to be ignored.
 *
 * @param now - Current time, milliseconds since 1970; the frame has the low bits of the time only.
 */
export function parseBinaryDelivery(
  frame: ArrayBuffer,
  now: number,
  [parseMessage, parseBinaryMessage]: MessageParsers,
): DeliveryFrame | undefined {
  const view = new DataView(frame);
  const first = view.getUint8(0);
  if ((first & TYPE) !== DELIVERY) return undefined;
  return {
    ref: view.getUint32(1),
    tag: view.getUint32(5),
    isTagLow: true,
    message: orError(() => {
      let body = HEADER;
      let members: JsonObject = {};
      if ((first & HAS_MEMBERS) !== 0) {
        body += 2 + view.getUint16(HEADER);
        const bytes = new Uint8Array(frame, HEADER + 2, body - HEADER - 2);
        members = JSON.parse(toUtf8(bytes)) as JsonObject;
      }
      // Identity, time and payload are parsed as those of a message.
      const message = new Uint8Array(MESSAGE_HEADER + frame.byteLength - body);
      message[0] = MESSAGE | (first & KIND);
      message.set(new Uint8Array(frame, ID_AND_TIME, HEADER - ID_AND_TIME), ID_AND_TIME - 1);
      message.set(new Uint8Array(frame, body), MESSAGE_HEADER);
      const parsed = parseBinaryMessage(message.buffer);
      if (!parsed || parsed.error) throw parsed?.error as Error;
      const { id, timeLow, kind, payload } = parsed;
      const { properties } = parseMessage({ properties: members["properties"], id, payload: "" });
      const content = { ...toMembers(members), id, time: widenTime(now, timeLow), properties };
      const redelivered = toRedelivered(members, (first & REDELIVERED) !== 0);
      return { ...content, redelivered, kind, payload } as DeliveredMessage;
    }),
  };
}

function toRedelivered(
  { redelivered }: JsonObject,
  isMarked: boolean,
): QueueEnvelope["redelivered"] {
  return redelivered === "unknown" ? redelivered : isMarked || redelivered === true;
}

/** Returns the time nearest to `now` with these low 32 bits. */
function widenTime(now: number, low: number): number {
  const whole = Math.ceil(now);
  return whole + ((low - whole) | 0);
}

function toMembers(
  frame: JsonObject,
): Pick<QueueEnvelope, "topic" | "messageType" | "correlationId" | "replyTo" | "group"> {
  return {
    topic: toText(frame, "topic"),
    messageType: toText(frame, "messageType"),
    correlationId: toText(frame, "correlationId"),
    replyTo: toDestination(frame["replyTo"]),
    group: toText(frame, "group"),
  };
}

/** Returns an optional member that is a string. */
export function toText(frame: JsonObject, name: string): string | undefined {
  const value = frame[name];
  if (value === undefined || typeof value === "string") return value;
  throw protocolError(`${name} of delivery must be a string`);
}

function toDestination(value: unknown): Destination | undefined {
  if (value === undefined) return undefined;
  const { topic, queue } = Object(value) as JsonObject;
  if (typeof topic === "string") return { topic };
  if (typeof queue === "string") return { queue };
  throw protocolError("replyTo of delivery must have a topic or a queue");
}

/** Throws unless this is a kind of payloads or undefined. */
export function checkPayloadKind(kind: unknown): void {
  if (kind !== undefined) checkOneOf("payload", ["text", "json", "bytes"], kind);
}

/** Returns the message with its payload as this kind; throws if it cannot be converted. */
export function convertPayload(
  message: DeliveredMessage,
  kind: PayloadKind | undefined,
): DeliveredMessage {
  if (kind === undefined || kind === message.kind) return message;
  const text = textOf(message);
  const payload: unknown =
    kind === "text" ? text : kind === "json" ? JSON.parse(text) : new TextEncoder().encode(text);
  return { ...message, kind, payload } as DeliveredMessage;
}

function textOf({ kind, payload }: Payload): string {
  if (kind === "text") return payload;
  if (kind === "json") return JSON.stringify(payload);
  return toUtf8(payload);
}

/** Returns the text; throws if the bytes are not UTF-8. */
function toUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Returns the message with the name of its queue or topic. */
export function toQueueMessage({ queue, topic }: Source, message: DeliveredMessage): QueueMessage {
  return { queue, ...message, topic: queue === undefined ? (message.topic ?? topic) : undefined };
}
