import { SluiceError } from "./errors.js";
import { toProperties } from "./fields.js";
import { isJsonObject, parseJson, type JsonValue } from "./json.js";
import type { Payload, Properties } from "./message.js";

const TYPE_MASK = 0x0f;
const TYPE_MESSAGE = 0x01;
const KIND_SHIFT = 4;
const KIND_MASK = 0x03;
const FLAG_PROPERTIES = 0x40;
const FLAG_RESERVED = 0x80;
const MESSAGE_HEADER = 20;
const PUBLISH_TEXT = 0x02;
const PUBLISH_BYTES = 0x12;
const PUBLISH_HEADER = 7;
const MAX_TOPIC_BYTES = 0xffff;
const LOW_RANGE = 2 ** 32;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** A binary message as it stands on the wire: channel instead of topic, low bits only. */
export interface BinaryMessage {
  readonly channel: number;
  readonly offsetLow: number;
  readonly timeLow: number;
  readonly content: Payload & { readonly id: string; readonly properties: Properties };
}

/** Parses a binary frame from a node; undefined if its type is unknown, which is to be ignored. */
export function parseBinaryMessage(frame: ArrayBuffer): BinaryMessage | undefined {
  const view = new DataView(frame);
  if (frame.byteLength === 0) throw tooShort(frame);
  const first = view.getUint8(0);
  if ((first & TYPE_MASK) !== TYPE_MESSAGE || (first & FLAG_RESERVED) !== 0) return undefined;
  if (frame.byteLength < MESSAGE_HEADER) throw tooShort(frame);
  const hasProperties = (first & FLAG_PROPERTIES) !== 0;
  const bodyAt = hasProperties ? propertiesEnd(view) : MESSAGE_HEADER;
  return {
    channel: view.getUint32(0) & 0xffffff,
    offsetLow: view.getUint32(4),
    timeLow: view.getUint32(16),
    content: {
      id: hex32(view.getUint32(8)) + hex32(view.getUint32(12)),
      properties: hasProperties ? readProperties(frame, bodyAt) : {},
      ...readPayload((first >> KIND_SHIFT) & KIND_MASK, new Uint8Array(frame, bodyAt)),
    },
  };
}

function propertiesEnd(view: DataView): number {
  if (view.byteLength < MESSAGE_HEADER + 2) throw tooShort(view.buffer);
  const end = MESSAGE_HEADER + 2 + view.getUint16(MESSAGE_HEADER);
  if (view.byteLength < end) throw tooShort(view.buffer);
  return end;
}

function readProperties(frame: ArrayBuffer, end: number): Properties {
  const start = MESSAGE_HEADER + 2;
  const value = readJson(new Uint8Array(frame, start, end - start));
  if (!isJsonObject(value)) throw bad("its properties are not an object");
  return toProperties(value);
}

function readPayload(kind: number, bytes: Uint8Array): Payload {
  switch (kind) {
    case 0:
      return { kind: "text", payload: decoder.decode(bytes) };
    case 1:
      return { kind: "bytes", payload: bytes };
    case 2:
      return { kind: "json", payload: readJson(bytes) };
    default:
      throw bad(`payload kind ${String(kind)} is unknown`);
  }
}

function readJson(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(decoder.decode(bytes));
  } catch (cause) {
    throw bad("its JSON does not parse", cause);
  }
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, "0");
}

function tooShort(frame: ArrayBufferLike): SluiceError {
  return bad(`${String(frame.byteLength)} bytes are too few`);
}

function bad(what: string, cause?: unknown): SluiceError {
  return new SluiceError("bad-answer", `binary message from the node: ${what}`, undefined, cause);
}

/** The whole offset: the smallest number above `previous` with these low 32 bits. */
export function widenOffset(previous: number, low: number): number {
  const candidate = previous - (previous % LOW_RANGE) + low;
  return candidate > previous ? candidate : candidate + LOW_RANGE;
}

/** The whole offset of a replayed message: the largest not above `last` with these low 32 bits. */
export function widenReplayedOffset(last: number, low: number): number {
  const candidate = last - (last % LOW_RANGE) + low;
  return candidate > last ? candidate - LOW_RANGE : candidate;
}

/** The whole time: the one nearest to `now` with these low 32 bits. */
export function widenTime(now: number, low: number): number {
  const candidate = Math.floor(now / LOW_RANGE) * LOW_RANGE + low;
  if (candidate - now > LOW_RANGE / 2) return candidate - LOW_RANGE;
  if (now - candidate > LOW_RANGE / 2) return candidate + LOW_RANGE;
  return candidate;
}

/** The binary frame that publishes; `ref` has 32 bits. */
export function encodeBinaryPublish(
  ref: number,
  topic: string,
  payload: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  const topicBytes = encoder.encode(topic);
  if (topicBytes.length > MAX_TOPIC_BYTES) {
    throw new SluiceError("topic-too-long", "a topic has at most 65,535 bytes", topic);
  }
  const payloadBytes = typeof payload === "string" ? encoder.encode(payload) : payload;
  const frame = new Uint8Array(PUBLISH_HEADER + topicBytes.length + payloadBytes.length);
  const view = new DataView(frame.buffer);
  view.setUint8(0, typeof payload === "string" ? PUBLISH_TEXT : PUBLISH_BYTES);
  view.setUint32(1, ref);
  view.setUint16(5, topicBytes.length);
  frame.set(topicBytes, PUBLISH_HEADER);
  frame.set(payloadBytes, PUBLISH_HEADER + topicBytes.length);
  return frame;
}
