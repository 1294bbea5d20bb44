import { fromBase64 } from "../engine/base64.js";
import type { Limits } from "../engine/frames.js";
import { isJsonObject, type JsonObject } from "../engine/json.js";
import { toPublication, type Destination, type PublishOptions } from "../engine/publish-options.js";
import { badFrame, FrameError } from "./frame-error.js";
import { toHeaders, toPayload, type NewMessage } from "./stored-message.js";
import { checkName } from "./topic-names.js";

/** Publish, request or response of a client. */
export interface Publishing {
  readonly message: NewMessage;
  readonly ttl: number | undefined;
  readonly delay: number | undefined;
  /** Identifier of an idempotent publish. */
  readonly publishId: string | undefined;
}

/** Returns the destination of a publish or a request. */
export function toDestination({ topic, queue }: JsonObject): Destination {
  if ((topic === undefined) === (queue === undefined)) throw badFrame("topic or queue", "present");
  const name = topic ?? queue;
  if (typeof name !== "string") throw badFrame("topic or queue", "a string");
  return queue === undefined ? { topic: name } : { queue: name };
}

/** Node as used by publishes. */
export interface PublishHost {
  readonly broker: { readonly limits: Limits };
  /** Throws if a test has forbidden the topic or queue. */
  checkPermitted(name: string, use: "publish"): void;
}

/** Returns the destination of a publish, which must be permitted. */
export function destinationOf(frame: JsonObject, host: PublishHost): Destination {
  const destination = toDestination(frame);
  const name = destination.queue ?? destination.topic;
  checkName(name, host.broker.limits);
  host.checkPermitted(name, "publish");
  return destination;
}

/** Parses the members of a publish, a request or a response, except its destination. */
export function toPublishing(frame: JsonObject, destination: Destination): Publishing {
  const payload = toBody(frame);
  const options = optionsOf(frame);
  try {
    const isText = typeof payload === "string" || payload instanceof Uint8Array;
    toPublication(destination, isText ? payload : "", options);
  } catch (error) {
    const code = /^(topic|queue) must/.test((error as Error).message)
      ? "invalid-topic"
      : "bad-frame";
    throw new FrameError(code, (error as Error).message);
  }
  const message = { ...toHeaders(options), ...toPayload(payload) };
  return { message, ttl: options.ttl, delay: options.delay, publishId: options.id };
}

/** Returns the optional members of a publish, which are not checked. */
function optionsOf(frame: JsonObject): PublishOptions {
  const names =
    "properties types priority ttl delay persistent messageType correlationId group replyTo id";
  const present = names.split(" ").filter((name) => frame[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, frame[name]]));
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
