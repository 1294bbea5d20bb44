import { check, checkObject, checkOneOf, checkOptions, LEVEL } from "./arguments.js";
import { toContent } from "./content.js";
import type { Properties } from "./message.js";

/** Destination of a message: a topic or a queue. */
export type Destination =
  | {
      /** Name of the topic. */
      readonly topic: string;
      /** Absent. */
      readonly queue?: undefined;
    }
  | {
      /** Name of the queue. */
      readonly queue: string;
      /** Absent. */
      readonly topic?: undefined;
    };

/** JMS type of a numeric property. */
export type PropertyType = "byte" | "short" | "int" | "long" | "float" | "double";

/** Value in the body of a JMS MapMessage or StreamMessage. */
export type BodyValue = string | number | boolean | null | Uint8Array;

/**
 * Content to publish. Text becomes a JMS TextMessage, bytes (an ArrayBuffer, a view of one, or a
 * Blob) become a BytesMessage, and any other value becomes a TextMessage with its JSON. With the
 * option `body`, an object becomes a MapMessage and an array becomes a StreamMessage.
 *
 * JSON is encoded by the call. Values without JSON are refused with `invalid-argument`, also as a
 * member: a Map, a Set, bytes, a function, a bigint, NaN. Bytes, maps and streams are not copied;
 * they must not be changed until the promise is settled. A Blob is published and requested only; the
 * publishes behind it wait until it is read.
 */
export type PublishPayload =
  string | ArrayBuffer | ArrayBufferView | Blob | object | number | boolean;

/** Options of `publish`. All of them are optional. */
export interface PublishOptions {
  /**
   * Identifier of this publish, 1 to 128 characters. The broker stores messages with equal `id`,
   * destination and user only once. The client therefore sends an unanswered publish again after a
   * reconnect. Requires the node's feature `publish-id`; without it the publish is rejected with
   * `unsupported`.
   */
  readonly id?: string;
  /** Message properties; names are identifiers that do not begin with `JMS`. */
  readonly properties?: Properties;
  /** JMS types of numeric properties; by default integers are `long` and others are `double`. */
  readonly types?: Readonly<Record<string, PropertyType>>;
  /** Sends an object as JMS MapMessage, or an array as StreamMessage. */
  readonly body?: "map" | "stream";
  /** Priority, 0 (lowest) to 9; the default of JMS is 4. */
  readonly priority?: number;
  /** Time to live in milliseconds; by default the message does not expire. */
  readonly ttl?: number;
  /**
   * Delivery delay in milliseconds; `unsupported` where the broker has none, and for topics that are
   * not durable.
   */
  readonly delay?: number;
  /** Delivery mode: true if a restart of the broker must not lose the message. Default: the node's. */
  readonly persistent?: boolean;
  /** JMSType, at most 255 characters. */
  readonly messageType?: string;
  /** JMSCorrelationID, at most 255 characters. */
  readonly correlationId?: string;
  /** JMSXGroupID, at most 255 characters: one consumer receives all messages of a group. */
  readonly group?: string;
  /** JMSReplyTo; the client must be permitted to receive messages from there. */
  readonly replyTo?: Destination;
}

/** Content of a message to publish, with checked arguments. */
export interface Content {
  readonly payload: string | Uint8Array | object;
  readonly options: PublishOptions;
}

/** Message to publish, with checked arguments. */
export interface Publication extends Content {
  readonly destination: Destination;
}

const PROPERTY_NAME = /^(?!JMS)[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const NAME = new RegExp(`^${LEVEL}(\\.${LEVEL})*$`, "u");
const TYPES: readonly PropertyType[] = ["byte", "short", "int", "long", "float", "double"];
const MAX_ID = 128;
const MAX_TEXT = 255;
const UNICODE = "a string without unpaired surrogates";
const LONG_HINT = 'a bigint is published as String(value) with the type "long" in `types`';

/** Checks of the options by name. */
const CHECKS: {
  readonly [Name in keyof PublishOptions]-?: (name: string, value: unknown) => void;
} = {
  id: text(1, MAX_ID),
  properties: (_, value) => {
    checkProperties(value);
  },
  types: (name, value) => {
    checkObject(name, value);
    for (const type of Object.values(value)) checkOneOf("type of a property", TYPES, type);
  },
  body: (name, value) => {
    checkOneOf(name, ["map", "stream"], value);
  },
  priority: whole(0, 9),
  ttl: whole(1, Number.MAX_SAFE_INTEGER),
  delay: whole(1, Number.MAX_SAFE_INTEGER),
  persistent: (name, value) => {
    check(typeof value === "boolean", name, "a boolean", value);
  },
  messageType: text(0, MAX_TEXT),
  correlationId: text(0, MAX_TEXT),
  group: text(1, MAX_TEXT),
  replyTo: (name, value) => {
    checkObject(name, value);
    checkDestination(value as Destination);
  },
};

/**
 * Checks the arguments of a publish; throws if one is invalid.
 *
 * @param unavailable - Options that the caller does not support.
 * @param others - Names of the caller's own options, which it has removed.
 * @param call - Name of the function that receives the options.
 */
export function toPublication(
  destination: Destination,
  payload: unknown,
  options: PublishOptions = {},
  unavailable: readonly string[] = [],
  others: readonly string[] = [],
  call = "publish",
): Publication {
  checkDestination(destination);
  const { topic, queue } = destination;
  const copy = { topic, queue } as Destination;
  return { destination: copy, ...checkContent(call, payload, options, unavailable, others) };
}

/** Checks the arguments of a reply, and encodes JSON; throws if one is invalid. */
export function toReply(payload: unknown, options: PublishOptions = {}): Content {
  const unavailable = ["id", "replyTo", "correlationId"];
  return checkContent("respond", toContent(payload, options), options, unavailable);
}

function checkContent(
  call: string,
  payload: unknown,
  options: PublishOptions,
  unavailable: readonly string[],
  others: readonly string[] = [],
): Content {
  checkValues(call, options, unavailable, others);
  checkPayload(payload, options.body);
  return { payload, options };
}

/** Throws unless this names one topic or one queue. */
function checkDestination(destination: Destination): void {
  const { topic, queue }: { readonly topic?: unknown; readonly queue?: unknown } = destination;
  if (queue === undefined) {
    check(isName(topic), "topic", 'a topic such as "stocks.7"', topic);
  } else {
    check(topic === undefined, "replyTo", "a topic or a queue, not both", destination);
    checkQueue(queue);
  }
}

/** Throws unless `queue` is a valid name of a queue. */
export function checkQueue(queue: unknown): void {
  check(isName(queue), "queue", 'a queue such as "orders"', queue);
}

function isName(name: unknown): boolean {
  return typeof name === "string" && NAME.test(name);
}

function checkValues(
  call: string,
  options: PublishOptions,
  unavailable: readonly string[],
  others: readonly string[],
): void {
  const known = Object.keys(CHECKS).filter((name) => !unavailable.includes(name));
  checkOptions(call, options, [...known, ...others], "; message properties belong in `properties`");
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) CHECKS[name as keyof PublishOptions](name, value);
  }
}

function checkPayload(
  payload: unknown,
  body: PublishOptions["body"],
): asserts payload is Publication["payload"] {
  if (body === undefined) {
    const isContent = typeof payload === "string" || payload instanceof Uint8Array;
    check(isContent, "payload", "a string, bytes or a JSON value", payload);
    check(payload instanceof Uint8Array || isUnicode(payload), "payload", UNICODE, payload);
    return;
  }
  const isMap = body === "map";
  const expected = isMap ? "an object" : "an array";
  const isBytes = payload instanceof Uint8Array;
  checkObject("payload", payload, expected);
  check(!isBytes && Array.isArray(payload) !== isMap, "payload", expected, payload);
  for (const [name, value] of Object.entries(payload) as [string, unknown][]) {
    check(
      isBodyValue(value),
      `payload.${name}`,
      `${UNICODE}, a finite number, a boolean, null or a Uint8Array`,
      value,
    );
  }
}

function isBodyValue(value: unknown): value is BodyValue {
  return value === null || value instanceof Uint8Array || isFiniteValue(value);
}

/** Returns whether a message property can have this value; JSON has no NaN and no infinity. */
function isFiniteValue(value: unknown): boolean {
  return typeof value === "number"
    ? Number.isFinite(value)
    : typeof value === "boolean" || isUnicode(value);
}

/** Returns whether this is a string without unpaired surrogates, which UTF-8 cannot represent. */
function isUnicode(value: unknown): boolean {
  return typeof value === "string" && !/\p{Cs}/u.test(value);
}

function checkProperties(properties: unknown): void {
  checkObject("properties", properties);
  for (const [name, value] of Object.entries(properties) as [string, unknown][]) {
    check(
      PROPERTY_NAME.test(name),
      "property name",
      "an identifier that does not begin with JMS",
      name,
    );
    const expected = `${UNICODE}, a finite number or a boolean`;
    // JSON numbers of this client are doubles.
    const hint = typeof value === "bigint" ? `${expected}; ${LONG_HINT}` : expected;
    check(isFiniteValue(value), `property ${name}`, hint, value);
  }
}

function text(min: number, max: number): (name: string, value: unknown) => void {
  return (name, value) => {
    const isText = isUnicode(value) && String(value).length >= min && String(value).length <= max;
    check(isText, name, `a string of ${String(min)} to ${String(max)} Unicode characters`, value);
  };
}

function whole(min: number, max: number): (name: string, value: unknown) => void {
  return (name, value) => {
    const isInRange = Number.isSafeInteger(value) && min <= Number(value) && Number(value) <= max;
    check(isInRange, name, `a whole number from ${String(min)} to ${String(max)}`, value);
  };
}
