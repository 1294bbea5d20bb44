import { checkObject } from "../engine/arguments.js";
import { toContent } from "../engine/content.js";
import { invalidArgument } from "../engine/errors.js";
import { isId } from "../engine/fields.js";
import type { Payload, Properties } from "../engine/message.js";
import {
  toPublication,
  type Destination,
  type PublishOptions,
  type PublishPayload,
} from "../engine/publish-options.js";
import { toBase64 } from "../engine/publish-frames.js";

/** Options of `publish` of a test broker. All of them are optional. */
export interface TestPublishOptions extends Pick<
  PublishOptions,
  | "properties"
  | "body"
  | "priority"
  | "persistent"
  | "messageType"
  | "correlationId"
  | "group"
  | "replyTo"
> {
  /** Identity of the message, 16 hexadecimal digits; default: a number that the broker counts. */
  readonly id?: string;
  /**
   * Time at which the broker accepts the message; default: the time of the clock. Binary frames
   * carry times within 24 days of the clock only.
   */
  readonly time?: number;
  /** Removes the topic from snapshots; the payload should be empty. Default false. */
  readonly removed?: boolean;
}

type HeaderName =
  "properties" | "priority" | "persistent" | "messageType" | "correlationId" | "group" | "replyTo";

/** Message as published; the broker adds identity and time. */
export type NewMessage = Payload & {
  readonly [Name in HeaderName | "removed" | "id" | "time"]?: TestMessage[Name] | undefined;
};

/** Message that the test broker has accepted. */
export type TestMessage = Payload & {
  /** Topic or queue of the message. */
  readonly destination: Destination;
  /** Identity of the message, 16 hexadecimal digits. */
  readonly id: string;
  /** Time at which the broker accepted the message, milliseconds since 1970. */
  readonly time: number;
  /** Properties; empty if there are none. */
  readonly properties: Properties;
  /** Priority, 0 to 9; 4 if undefined. */
  readonly priority?: number | undefined;
  /** False for a non-persistent message. */
  readonly persistent?: boolean | undefined;
  /** JMSType of the message. */
  readonly messageType?: string | undefined;
  /** JMSCorrelationID of the message. */
  readonly correlationId?: string | undefined;
  /** JMSXGroupID of the message. */
  readonly group?: string | undefined;
  /** JMSReplyTo of the message. */
  readonly replyTo?: Destination | undefined;
  /** True if the message removes its topic from snapshots. */
  readonly removed?: boolean | undefined;
};

/** Message with its place among all messages and losses of the broker. */
export type StoredMessage = TestMessage & { readonly sequence: number };

/**
 * Returns the message for the arguments of `publish`.
 *
 * @throws SluiceError `invalid-argument`
 */
export function toNewMessage(
  destination: Destination,
  payload: PublishPayload,
  options: TestPublishOptions = {},
): NewMessage {
  checkObject("options", options);
  const { id, time, removed, ...others } = options;
  if (id !== undefined && !isId(id)) throw invalidArgument("id", "16 hexadecimal digits", id);
  const checked = toPublication(destination, toContent(payload, others), others);
  return { ...toHeaders(checked.options), id, time, removed, ...toPayload(checked.payload) };
}

/** Returns the properties and headers of a message. */
export function toHeaders(members: Pick<NewMessage, HeaderName>): Pick<NewMessage, HeaderName> {
  const { properties, priority, persistent, messageType, correlationId, group, replyTo } = members;
  return { properties, priority, persistent, messageType, correlationId, group, replyTo };
}

/** Returns a payload with its kind; bytes in a map or a stream become base64, as nodes send them. */
export function toPayload(payload: string | Uint8Array | object): Payload {
  if (typeof payload === "string") return { kind: "text", payload };
  if (payload instanceof Uint8Array) return { kind: "bytes", payload: payload.slice() };
  const json = JSON.stringify(payload, (_, value: unknown) =>
    value instanceof Uint8Array ? toBase64(value) : value,
  );
  return { kind: "json", payload: JSON.parse(json) };
}
