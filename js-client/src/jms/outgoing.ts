import type { PublishOptions, PublishPayload } from "../index.js";
import { BytesMessage } from "./bytes-message.js";
import { DeliveryMode, type DeliveryModeValue } from "./constants.js";
import type { Destination } from "./destinations.js";
import { MapMessage } from "./map-message.js";
import type { Message } from "./message.js";
import type { MessageProperties, PublishedProperties } from "./message-properties.js";
import { StreamMessage } from "./stream-message.js";
import { TextMessage } from "./text-message.js";

/** Settings of a producer. */
export interface ProducerSettings {
  priority: number;
  timeToLive: number;
  deliveryDelay: number;
  deliveryMode: DeliveryModeValue;
  type: string | null;
  correlationId: string | null;
  replyTo: Destination | null;
  readonly properties: MessageProperties;
}

/** Options of a publish that do not depend on the kind of frame. */
export type ContentOptions = Omit<PublishOptions, "id" | "ttl" | "correlationId" | "replyTo">;

/** Message as it is sent. The payload and the options are copies. */
export interface Outgoing {
  readonly destination: Destination;
  readonly message: Message;
  readonly payload: PublishPayload;
  readonly options: ContentOptions;
  /** Time to live in milliseconds; 0 if the message does not expire. */
  readonly ttl: number;
  readonly correlationId: string | null;
  readonly replyTo: Destination | null;
}

/** Returns the message with the settings of its producer, which take precedence. */
export function toOutgoing(
  destination: Destination,
  message: Message,
  settings: ProducerSettings,
): Outgoing {
  const { payload, body } = contentOf(message);
  const { priority, timeToLive, deliveryDelay, deliveryMode } = settings;
  const messageType = settings.type ?? message.getJMSType();
  const properties: PublishedProperties = {};
  message.properties.addTo(properties);
  settings.properties.addTo(properties);
  const options: ContentOptions = {
    priority,
    persistent: deliveryMode === DeliveryMode.PERSISTENT,
    ...properties,
    ...(body && { body }),
    ...(deliveryDelay > 0 && { delay: deliveryDelay }),
    ...(messageType !== null && { messageType }),
  };
  return {
    destination,
    message,
    payload,
    options,
    ttl: timeToLive,
    correlationId: settings.correlationId ?? message.getJMSCorrelationID(),
    replyTo: settings.replyTo ?? message.getJMSReplyTo(),
  };
}

/** Sets the headers that `send` sets in JMS. */
export function setSentHeaders(
  { destination, message }: Outgoing,
  settings: ProducerSettings,
): void {
  const { priority, timeToLive, deliveryDelay, deliveryMode } = settings;
  const now = Date.now();
  Object.assign(message.headers, {
    destination,
    timestamp: now,
    priority,
    deliveryMode,
    deliveryTime: now + deliveryDelay,
    expiration: timeToLive > 0 ? now + timeToLive : 0,
  });
}

function contentOf(message: Message): { payload: PublishPayload; body?: "map" | "stream" } {
  if (message instanceof TextMessage) return { payload: message.getText() ?? "" };
  if (message instanceof BytesMessage) return { payload: message.getBody() };
  if (message instanceof MapMessage) return { payload: message.getBody(), body: "map" };
  if (message instanceof StreamMessage) return { payload: [...message.values], body: "stream" };
  // The protocol has no messages without a body.
  return { payload: "" };
}
