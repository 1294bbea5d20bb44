import type { JsonObject } from "./json.js";
import type { Content, Publication } from "./publish-options.js";

// Offset of the topic in a binary frame.
const BINARY_HEADER = 7;
const TEXT = 0x02;
const BYTES = 0x12;
// Further members follow the topic.
const HAS_MEMBERS = 0x20;
const MAX_LENGTH = 0xffff;

const encoder = new TextEncoder();

/** Encodes a publish as a text frame, with bytes as base64. */
export function encodePublish(ref: number, { destination, payload, options }: Publication): string {
  return JSON.stringify({
    type: "publish",
    ref,
    ...destination,
    ...toContentMembers({ payload, options }),
  });
}

/** Returns content and options as members of a frame, with bytes as base64. */
export function toContentMembers({ payload, options }: Content): JsonObject {
  const content =
    typeof payload === "string"
      ? { payload }
      : payload instanceof Uint8Array
        ? { payload: toBase64(payload), encoding: "base64" }
        : { payload: toJsonBody(payload), encoding: "json" };
  return { ...content, ...toMembers(options) };
}

/**
 * Encodes a publish as a binary frame; `ref` has 32 bits. Returns undefined if the frame cannot
 * carry it: a map, a stream, or options or a name of more than 65,535 bytes.
 */
export function encodeBinaryPublish(
  ref: number,
  { destination, payload, options }: Publication,
): Uint8Array<ArrayBuffer> | undefined {
  const isText = typeof payload === "string";
  if (!isText && !(payload instanceof Uint8Array)) return undefined;
  const { topic = "", queue } = destination;
  const name = encoder.encode(topic);
  const json = JSON.stringify({ queue, ...toMembers(options) });
  const members = json === "{}" ? undefined : encoder.encode(json);
  if (Math.max(name.length, members?.length ?? 0) > MAX_LENGTH) return undefined;
  const body = isText ? encoder.encode(payload) : payload;
  const start = BINARY_HEADER + name.length + (members ? 2 + members.length : 0);
  const frame = new Uint8Array(start + body.length);
  const view = new DataView(frame.buffer);
  view.setUint8(0, (isText ? TEXT : BYTES) | (members ? HAS_MEMBERS : 0));
  view.setUint32(1, ref);
  view.setUint16(5, name.length);
  frame.set(name, BINARY_HEADER);
  if (members) {
    view.setUint16(BINARY_HEADER + name.length, members.length);
    frame.set(members, BINARY_HEADER + name.length + 2);
  }
  frame.set(body, start);
  return frame;
}

/** Returns whether a binary frame has to carry members besides topic and payload. */
export function hasMembers({ destination, options }: Publication): boolean {
  return destination.queue !== undefined || JSON.stringify(toMembers(options)) !== "{}";
}

/** Returns the options as members of the frame, in the order of the specification. */
function toMembers(options: Publication["options"]): JsonObject {
  const { properties, types, priority, ttl, delay, persistent } = options;
  const { messageType, correlationId, group, replyTo, id } = options;
  return {
    properties,
    types,
    priority,
    ttl,
    delay,
    persistent,
    messageType,
    correlationId,
    group,
    replyTo,
    id,
  };
}

/** Returns the body of a map or a stream as JSON, with bytes as `{"base64":…}`. */
function toJsonBody(body: object): object {
  if (Array.isArray(body)) return body.map(toJsonValue);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, toJsonValue(value)]),
  );
}

function toJsonValue(value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: toBase64(value) } : value;
}

/** Encodes bytes as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
