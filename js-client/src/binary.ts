import { badAnswer } from "./errors.js";
import { toProperties } from "./fields.js";
import type { Payload, Properties } from "./message.js";

// Bits 0-3 of a frame's first byte are its type and bit 7 is reserved.
const TYPE_AND_RESERVED = 0x8f;
const MESSAGE = 0x01;
const HAS_PROPERTIES = 0x40;
const MESSAGE_HEADER = 20;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A binary message as it stands on the wire: channel instead of topic, low bits only. */
export interface BinaryMessage {
  readonly channel: number;
  readonly offsetLow: number;
  readonly timeLow: number;
  readonly content: Payload & { readonly id: string; readonly properties: Properties };
}

/**
 * Parses a binary frame from a node; undefined if its type is unknown, which is to be ignored.
 *
 * @throws RangeError if it is too short
 * @throws SyntaxError if JSON in it is none
 */
export function parseBinaryMessage(frame: ArrayBuffer): BinaryMessage | undefined {
  const view = new DataView(frame);
  const first = view.getUint8(0);
  if ((first & TYPE_AND_RESERVED) !== MESSAGE) return undefined;
  const word = (at: number): number => view.getUint32(at);
  const hex = (at: number): string => word(at).toString(16).padStart(8, "0");
  let body = MESSAGE_HEADER;
  let properties = {};
  if ((first & HAS_PROPERTIES) !== 0) {
    const length = view.getUint16(body);
    properties = JSON.parse(decode(new Uint8Array(frame, body + 2, length))) as object;
    body += 2 + length;
  }
  return {
    channel: word(0) & 0xffffff,
    offsetLow: word(4),
    timeLow: word(16),
    content: {
      id: hex(8) + hex(12),
      properties: toProperties(properties),
      ...toPayload((first >> 4) & 3, new Uint8Array(frame, body)),
    },
  };
}

function toPayload(kind: number, payload: Uint8Array): Payload {
  if (kind === 1) return { kind: "bytes", payload };
  const text = decode(payload);
  if (kind === 0) return { kind: "text", payload: text };
  if (kind === 2) return { kind: "json", payload: JSON.parse(text) };
  throw badAnswer(`a payload of the unknown kind ${String(kind)}`);
}

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The whole offset: the smallest number above `previous` with these low 32 bits. */
export function widenOffset(previous: number, low: number): number {
  return previous + 1 + ((low - previous - 1) >>> 0);
}

/** The whole offset of a replayed message: the largest not above `last` with these low 32 bits. */
export function widenReplayedOffset(last: number, low: number): number {
  return last - ((last - low) >>> 0);
}

/** The whole time: the one nearest to `now` with these low 32 bits. */
export function widenTime(now: number, low: number): number {
  const whole = Math.ceil(now);
  return whole + ((low - whole) | 0);
}
