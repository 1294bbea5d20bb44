import type { JsonObject } from "../engine/json.js";
import { toBase64 } from "../engine/publish-frames.js";
import type { FrameData } from "./memory-socket.js";
import type { TestMessage } from "./stored-message.js";

/** Place of a message in the stream of a subscription. */
export interface Placement {
  /** Number of the topic in binary messages; undefined in JSON. */
  readonly channel: number | undefined;
  readonly offset: number;
  /** Pattern of the subscription, if it is one to a pattern. */
  readonly pattern: string | undefined;
  /** Number of a tagged subscription. */
  readonly ref: number | undefined;
}

const MESSAGE = 0x01;
export const HAS_PROPERTIES = 0x40;
export const HIGH_BIT = 0x80;
export const KINDS = { text: 0x00, bytes: 0x10, json: 0x20 } as const;
const REMOVAL = 0x30;

const encoder = new TextEncoder();

/** Encodes a message for a subscription: PROTOCOL.md, sections 4 and 5. */
export function encodeMessage(message: TestMessage, placement: Placement): FrameData {
  const { channel, offset, pattern, ref } = placement;
  const { id, time } = message;
  if (channel === undefined) {
    const { topic } = message.destination;
    return JSON.stringify({
      type: "message",
      ref,
      topic,
      pattern,
      offset,
      id,
      time,
      ...content(message),
    });
  }
  const properties = encodeMembers(message.properties);
  const kind = message.removed ? REMOVAL : KINDS[message.kind];
  const flags = (properties ? HAS_PROPERTIES : 0) | (ref === undefined ? 0 : HIGH_BIT);
  const words = [(((MESSAGE | kind | flags) << 24) >>> 0) + channel, offset, ...words64(id), time];
  const tag = ref === undefined ? [] : [ref];
  const head = uint32s(...words, ...tag);
  return concat(head, ...(properties ? [properties] : []), payloadBytes(message));
}

/** Returns the members of a message's content, in JSON. */
export function content(message: TestMessage): JsonObject {
  const { kind, payload, removed } = message;
  const encoding = kind === "text" ? undefined : kind === "bytes" ? "base64" : "json";
  return {
    properties: propertiesOf(message),
    encoding: removed ? undefined : encoding,
    removed: removed === true ? true : undefined,
    payload: removed ? "" : kind === "bytes" ? toBase64(payload) : payload,
  };
}

export function propertiesOf({ properties }: TestMessage): JsonObject | undefined {
  return Object.keys(properties).length > 0 ? properties : undefined;
}

/** Returns the members with their length, or undefined if there are none. */
export function encodeMembers(members: object): Uint8Array | undefined {
  const json = JSON.stringify(members);
  if (json === "{}") return undefined;
  const bytes = encoder.encode(json);
  return new Uint8Array(concat(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes));
}

export function payloadBytes({ kind, payload, removed }: TestMessage): Uint8Array {
  if (removed) return new Uint8Array();
  if (kind === "bytes") return payload;
  return encoder.encode(kind === "text" ? payload : JSON.stringify(payload));
}

export function words64(id: string): readonly number[] {
  return [parseInt(id.slice(0, 8), 16), parseInt(id.slice(8), 16)];
}

/** Encodes the low 32 bits of each number in network byte order. */
export function uint32s(...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * numbers.length);
  const view = new DataView(bytes.buffer);
  numbers.forEach((number, at) => {
    view.setUint32(4 * at, number % 2 ** 32);
  });
  return bytes;
}

export function concat(...parts: readonly Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}
