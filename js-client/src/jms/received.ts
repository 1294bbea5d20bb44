import type {
  Delivery,
  Message as TopicMessage,
  Payload,
  QueueEnvelope,
  QueueMessage,
  Reply,
} from "../index.js";
import { BytesMessage } from "./bytes-message.js";
import { fromSluiceDestination, Topic, type Destination } from "./destinations.js";
import { MapMessage } from "./map-message.js";
import { Message } from "./message.js";
import { linkReply } from "./reply-links.js";
import { StreamMessage } from "./stream-message.js";
import { TextMessage } from "./text-message.js";
import type { BodyValue } from "./typed-value.js";

/** Message of a consumer, and its pending delivery unless it belongs to a plain subscription. */
export class Received {
  readonly message: Message;
  readonly delivery: Delivery | undefined;
  /** True once the message is settled, or its settlement was requested. */
  isSettled = false;

  constructor(message: Message, delivery?: Delivery) {
    this.message = message;
    this.delivery = delivery;
  }

  /** Returns whether the message has returned to its queue without a settlement. */
  get isTakenBack(): boolean {
    return this.delivery?.signal.aborted === true;
  }
}

/** Members that all received messages have. */
type Content = Payload &
  Pick<QueueEnvelope, "id" | "time" | "properties"> &
  Partial<Pick<QueueEnvelope, "redelivered" | "messageType" | "correlationId" | "group">>;

/** Returns the message of a delivery of a queue or a subscription with a name. */
export function fromDelivery(delivery: Delivery, destination: Destination): Received {
  const { topic } = delivery;
  const message = fromQueueMessage(delivery, topic === undefined ? destination : new Topic(topic));
  const received = new Received(message, delivery);
  const { replyTo } = message.headers;
  if (replyTo) {
    linkReply(replyTo, {
      isPending: () => !received.isSettled && !received.isTakenBack,
      respond: delivery.respond,
    });
  }
  return received;
}

/** Returns the message of a queue. */
export function fromQueueMessage(message: QueueMessage, destination: Destination): Message {
  const result = create(message, destination, false);
  if (message.replyTo) result.headers.replyTo = fromSluiceDestination(message.replyTo);
  return result;
}

/** Returns the message of a plain subscription. */
export function fromTopicMessage(message: TopicMessage): Received {
  return new Received(create(message, new Topic(message.topic), message.removed));
}

/** Returns the reply to a request. */
export function fromReply(reply: Reply, destination: Destination, correlationId: string): Received {
  const message = create(reply, destination, false);
  message.headers.correlationId = correlationId;
  return new Received(message);
}

function create(content: Content, destination: Destination, isRemoval: boolean): Message {
  const message = isRemoval ? new Message() : createBody(content);
  const { id, time, messageType, correlationId, group } = content;
  Object.assign(message.headers, {
    messageId: `ID:${id}`,
    timestamp: time,
    correlationId: correlationId ?? null,
    destination,
    redelivered: Boolean(content.redelivered),
    type: messageType ?? null,
  });
  message.properties.receive(content.properties, group, isRemoval);
  message.protectBody();
  return message;
}

function createBody({ kind, payload }: Payload): Message {
  if (kind === "text") return new TextMessage(payload);
  if (kind === "bytes") {
    const message = new BytesMessage();
    message.receive(payload);
    return message;
  }
  const message = Array.isArray(payload) ? new StreamMessage() : new MapMessage();
  message.receive(payload as BodyValue[] & Record<string, BodyValue>);
  return message;
}
