import type { JsonObject } from "../engine/json.js";
import { badFrame, parseFrame } from "./frame-error.js";

// Layout of a binary publish: PROTOCOL.md, section 3.
const HEADER = 7;
const TEXT = 0x02;
const BYTES = 0x12;
const HAS_MEMBERS = 0x20;

/** Returns the text frame that is equivalent to a binary publish; bytes remain bytes. */
export function parseBinaryPublish(data: ArrayBuffer): JsonObject {
  try {
    return readBinaryPublish(data);
  } catch (error) {
    throw error instanceof RangeError ? badFrame("a binary publish", "at least 7 bytes") : error;
  }
}

function readBinaryPublish(data: ArrayBuffer): JsonObject {
  const view = new DataView(data);
  const first = view.getUint8(0);
  const kind = first & ~HAS_MEMBERS;
  if (kind !== TEXT && kind !== BYTES) throw badFrame("the first byte", "that of a publish");
  const end = HEADER + view.getUint16(5);
  const topic = decode(new Uint8Array(data, HEADER, end - HEADER)) || undefined;
  const length = first & HAS_MEMBERS ? 2 + view.getUint16(end) : 0;
  const members = length ? parseFrame(decode(new Uint8Array(data, end + 2, length - 2))) : {};
  const body = new Uint8Array(data, end + length);
  const payload = kind === TEXT ? decode(body) : body;
  return { topic, ...members, type: "publish", ref: view.getUint32(1), payload };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
