import type { Properties } from "./message.js";

const BINARY_HEADER = 7;

const encoder = new TextEncoder();

/** Encodes a publish as a text frame, with bytes as base64. */
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

/** Encodes a publish as a binary frame; `ref` has 32 bits, the topic at most 65,535 bytes. */
export function encodeBinaryPublish(
  ref: number,
  topic: string,
  payload: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  const name = encoder.encode(topic);
  const isText = typeof payload === "string";
  const body = isText ? encoder.encode(payload) : payload;
  const frame = new Uint8Array(BINARY_HEADER + name.length + body.length);
  const view = new DataView(frame.buffer);
  view.setUint8(0, isText ? 0x02 : 0x12);
  view.setUint32(1, ref);
  view.setUint16(5, name.length);
  frame.set(name, BINARY_HEADER);
  frame.set(body, BINARY_HEADER + name.length);
  return frame;
}

/** Encodes bytes as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
