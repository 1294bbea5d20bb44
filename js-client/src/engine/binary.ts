import { toProperties } from "./fields.js";
import { NO_PROPERTIES, type Payload, type Properties } from "./message.js";

// Bits 0-3 of a frame's first byte are its type.
const TYPE = 0x0f;
const MESSAGE = 0x01;
const HAS_PROPERTIES = 0x40;
const HAS_REF = 0x80;
const MESSAGE_HEADER = 20;

// Payload type of a message that removes its topic or key; it has no payload.
const REMOVAL = 3;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Binary message as encoded on the wire: a channel instead of a topic, and the low bits only. */
export type BinaryMessage = Payload & {
  /** Number of the tagged subscription; undefined for a plain one. */
  readonly ref: number | undefined;
  readonly channel: number;
  readonly offsetLow: number;
  readonly timeLow: number;
  readonly id: string;
  readonly properties: Properties;
  readonly removed: boolean;
  /** Cause if the frame is unreadable; then only `ref` and `channel` are certain. */
  readonly error?: unknown;
};

type WritableMessage = { -readonly [Name in keyof BinaryMessage]: BinaryMessage[Name] };

/**
 * Parses a binary frame from a node. Returns undefined for an unknown type, which is to be ignored.
 *
 * @throws RangeError if the frame has no channel or `ref`
 */
export function parseBinaryMessage(frame: ArrayBuffer): BinaryMessage | undefined {
  const view = new DataView(frame);
  const first = view.getUint8(0);
  if ((first & TYPE) !== MESSAGE) return undefined;
  let body = MESSAGE_HEADER;
  const ref = first & HAS_REF ? view.getUint32(body) : undefined;
  if (ref !== undefined) body += 4;
  const message: Partial<WritableMessage> = { ref, channel: view.getUint32(0) & 0xffffff };
  try {
    message.offsetLow = view.getUint32(4);
    message.id = view.getBigUint64(8).toString(16).padStart(16, "0");
    message.timeLow = view.getUint32(16);
    message.properties = NO_PROPERTIES;
    if (first & HAS_PROPERTIES) {
      const length = view.getUint16(body);
      const json = decoder.decode(new Uint8Array(frame, body + 2, length));
      message.properties = toProperties(JSON.parse(json));
      body += 2 + length;
    }
    const type = (first >> 4) & 3;
    const { kind, payload } = toPayload(type, new Uint8Array(frame, body));
    message.removed = type === REMOVAL;
    message.kind = kind;
    message.payload = payload;
  } catch (error) {
    message.error = error;
  }
  return message as BinaryMessage;
}

function toPayload(kind: number, payload: Uint8Array): Payload {
  if (kind === 1) return { kind: "bytes", payload };
  const text = decoder.decode(payload);
  if (kind === 2) return { kind: "json", payload: JSON.parse(text) };
  return { kind: "text", payload: text };
}

/** Returns the full offset: the smallest number above `previous` with these low 32 bits. */
export function widenOffset(previous: number, low: number): number {
  return previous + 1 + ((low - previous - 1) >>> 0);
}

/**
 * Returns the full offset of a replayed message: the largest up to `last` with these low 32 bits.
 * It may be negative if the message is not replayed.
 */
export function widenReplayedOffset(last: number, low: number): number {
  return last - ((last - low) >>> 0);
}

/** Returns the full timestamp: the one nearest to `now` with these low 32 bits. */
export function widenTime(now: number, low: number): number {
  const whole = Math.ceil(now);
  return whole + ((low - whole) | 0);
}
