import type { CompletionListener } from "./listeners.js";
import { BytesMessage } from "./bytes-message.js";
import { Defaults, DeliveryMode, type DeliveryModeValue } from "./constants.js";
import type { Destination } from "./destinations.js";
import { toJmsException } from "./error-codes.js";
import { JMSException, MessageFormatException } from "./exceptions.js";
import { MapMessage } from "./map-message.js";
import { Message } from "./message.js";
import { MessageProperties } from "./message-properties.js";
import { setSentHeaders, toOutgoing, type Outgoing, type ProducerSettings } from "./outgoing.js";
import { TextMessage } from "./text-message.js";
import type { BodyValue } from "./typed-value.js";

/** Content that `send` accepts: a message, or what becomes a Text-, Bytes- or MapMessage. */
export type Sendable =
  | Message
  | string
  | Uint8Array
  | ReadonlyMap<string, BodyValue>
  | Readonly<Record<string, BodyValue>>;

/** Sends messages; created by `JMSContext.createProducer`. Setters return the producer. */
export class JMSProducer {
  readonly #send: (outgoing: Outgoing) => Promise<void>;
  readonly #settings: ProducerSettings = {
    priority: Defaults.PRIORITY,
    timeToLive: Defaults.TIME_TO_LIVE,
    deliveryDelay: Defaults.DELIVERY_DELAY,
    deliveryMode: DeliveryMode.PERSISTENT,
    type: null,
    correlationId: null,
    replyTo: null,
    properties: new MessageProperties(),
  };
  #completion: CompletionListener | null = null;

  /** @internal */
  constructor(send: (outgoing: Outgoing) => Promise<void>) {
    this.#send = send;
  }

  /**
   * Sends a message.
   *
   * @returns a promise that resolves when the broker has accepted the message; in a transacted
   *   context at once. With a completion listener it resolves at once, too.
   */
  async send(destination: Destination, body: Sendable): Promise<void> {
    const message = toMessage(body);
    const settings = this.#settings;
    const outgoing = toOutgoing(destination, message, settings);
    setSentHeaders(outgoing, settings);
    const sent = this.#send(outgoing);
    if (this.#completion) void complete(sent, message, this.#completion);
    else await sent;
  }

  /** Sets the listener of the results of `send`; null: the promise of `send` has the result. */
  setAsync(listener: CompletionListener | null): this {
    this.#completion = listener;
    return this;
  }

  /** Returns the completion listener. */
  getAsync(): CompletionListener | null {
    return this.#completion;
  }

  /** Sets the priority, 0 to 9. */
  setPriority(priority: number): this {
    this.#settings.priority = whole("priority", priority, 9);
    return this;
  }

  /** Returns the priority. */
  getPriority(): number {
    return this.#settings.priority;
  }

  /** Sets the time to live in milliseconds; 0: messages do not expire. */
  setTimeToLive(timeToLive: number): this {
    this.#settings.timeToLive = whole("time to live", timeToLive);
    return this;
  }

  /** Returns the time to live. */
  getTimeToLive(): number {
    return this.#settings.timeToLive;
  }

  /** Sets the delivery delay in milliseconds. */
  setDeliveryDelay(deliveryDelay: number): this {
    this.#settings.deliveryDelay = whole("delivery delay", deliveryDelay);
    return this;
  }

  /** Returns the delivery delay. */
  getDeliveryDelay(): number {
    return this.#settings.deliveryDelay;
  }

  /** Sets the delivery mode; by default PERSISTENT, as in JMS. */
  setDeliveryMode(deliveryMode: DeliveryModeValue): this {
    const isMode = Object.values(DeliveryMode).includes(deliveryMode);
    if (!isMode) throw new JMSException(`delivery mode ${String(deliveryMode)} does not exist`);
    this.#settings.deliveryMode = deliveryMode;
    return this;
  }

  /** Returns the delivery mode. */
  getDeliveryMode(): DeliveryModeValue {
    return this.#settings.deliveryMode;
  }

  /** Sets the JMSType of all messages; null: that of each message. */
  setJMSType(type: string | null): this {
    this.#settings.type = type;
    return this;
  }

  /** Returns the JMSType. */
  getJMSType(): string | null {
    return this.#settings.type;
  }

  /** Sets the JMSCorrelationID of all messages; null: that of each message. */
  setJMSCorrelationID(correlationId: string | null): this {
    this.#settings.correlationId = correlationId;
    return this;
  }

  /** Returns the JMSCorrelationID. */
  getJMSCorrelationID(): string | null {
    return this.#settings.correlationId;
  }

  /** Sets the JMSReplyTo of all messages; null: that of each message. */
  setJMSReplyTo(replyTo: Destination | null): this {
    this.#settings.replyTo = replyTo;
    return this;
  }

  /** Returns the JMSReplyTo. */
  getJMSReplyTo(): Destination | null {
    return this.#settings.replyTo;
  }

  /** Sets a property of all messages. An integer becomes int if it fits, otherwise long. */
  setProperty(name: string, value: string | number | bigint | boolean): this {
    this.#settings.properties.setObject(name, value);
    return this;
  }

  /** Removes all properties of the producer. */
  clearProperties(): this {
    this.#settings.properties.clear();
    return this;
  }

  /** Returns the names of the properties of the producer. */
  getPropertyNames(): readonly string[] {
    return this.#settings.properties.names;
  }

  /** Returns whether the producer has a property with this name. */
  propertyExists(name: string): boolean {
    return this.#settings.properties.has(name);
  }

  /** Returns a property of the producer; null if there is none. */
  getObjectProperty(name: string): BodyValue {
    return this.#settings.properties.getObject(name);
  }
}

function toMessage(body: Sendable): Message {
  if (body instanceof Message) return body;
  if (typeof body === "string") return new TextMessage(body);
  if (body instanceof Uint8Array) {
    const message = new BytesMessage();
    message.writeBytes(body);
    return message;
  }
  if (typeof body !== "object" || (body as unknown) === null || Array.isArray(body)) {
    throw new MessageFormatException("the content must be a message, a string, bytes or a map");
  }
  const message = new MapMessage();
  const entries = body instanceof Map ? body : Object.entries(body);
  for (const [name, value] of entries as Iterable<[string, BodyValue]>)
    message.setObject(name, value);
  return message;
}

async function complete(
  sent: Promise<void>,
  message: Message,
  listener: CompletionListener,
): Promise<void> {
  try {
    await sent;
  } catch (thrown) {
    listener.onException(message, toJmsException(thrown));
    return;
  }
  listener.onCompletion(message);
}

function whole(name: string, value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return value;
  const range = `a whole number from 0 to ${String(max)}`;
  throw new JMSException(`${name} must be ${range}, not ${String(value)}`);
}
