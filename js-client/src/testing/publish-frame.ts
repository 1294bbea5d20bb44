import { fromBase64 } from "../base64.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { toPublication, type Destination } from "../publish-options.js";
import { badFrame, FrameError, parseFrame } from "./frame-error.js";
import { toPayload, type NewMessage } from "./stored-message.js";

/** Publish, request or response of a client. */
export interface Publishing {
  readonly message: NewMessage;
  readonly ttl: number | undefined;
  readonly delay: number | undefined;
  /** Identifier of an idempotent publish. */
  readonly publishId: string | undefined;
}

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

/** Returns the destination of a publish or a request. */
export function toDestination({ topic, queue }: JsonObject): Destination {
  if ((topic === undefined) === (queue === undefined)) throw badFrame("topic or queue", "present");
  const name = topic ?? queue;
  if (typeof name !== "string") throw badFrame("topic or queue", "a string");
  return queue === undefined ? { topic: name } : { queue: name };
}

/** Parses the members of a publish, a request or a response, except its destination. */
export function toPublishing(frame: JsonObject, destination: Destination): Publishing {
  const { properties, ttl, delay, messageType, correlationId, group, replyTo, id } = frame;
  const payload = toBody(frame);
  const options = { properties, ttl, delay, messageType, correlationId, group, replyTo, id };
  try {
    const isText = typeof payload === "string" || payload instanceof Uint8Array;
    toPublication(destination, isText ? payload : "", options as never);
  } catch (error) {
    const code = /^(topic|queue) must/.test((error as Error).message)
      ? "invalid-topic"
      : "bad-frame";
    throw new FrameError(code, (error as Error).message);
  }
  const headers = { properties, messageType, correlationId, group, replyTo };
  const message = { ...headers, ...toPayload(payload) } as NewMessage;
  return { message, ttl, delay, publishId: id } as Publishing;
}

function toBody({ payload, encoding }: JsonObject): string | Uint8Array | object {
  if (payload instanceof Uint8Array) return payload;
  if (encoding === "json" && typeof payload === "object" && payload !== null) {
    return JSON.parse(JSON.stringify(payload), toBodyValue) as object;
  }
  if (typeof payload !== "string") throw badFrame("payload", "a string");
  if (encoding === undefined) return payload;
  if (encoding === "base64") return fromBase64(payload);
  throw badFrame("encoding", '"base64" or "json"');
}

/** Returns bytes in the body of a map or a stream as the text that nodes send. */
function toBodyValue(_: string, value: unknown): unknown {
  return isJsonObject(value) && typeof value["base64"] === "string" ? value["base64"] : value;
}
