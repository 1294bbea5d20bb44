import type { DeliveryModeValue } from "./constants.js";
import type { Destination } from "./destinations.js";
import { MessageNotWriteableException } from "./exceptions.js";
import { MessageProperties } from "./message-properties.js";
import type { BodyValue } from "./typed-value.js";

/**
 * Headers of a message. Those that are `null` are unknown: the protocol does not transmit them.
 *
 * @internal
 */
export interface Headers {
  messageId: string | null;
  timestamp: number | null;
  correlationId: string | null;
  replyTo: Destination | null;
  destination: Destination | null;
  deliveryMode: DeliveryModeValue | null;
  redelivered: boolean;
  type: string | null;
  expiration: number | null;
  deliveryTime: number | null;
  priority: number | null;
}

/** Message of JMS without a body, and base class of the others. */
export class Message {
  /** @internal */
  readonly headers: Headers = {
    messageId: null,
    timestamp: null,
    correlationId: null,
    replyTo: null,
    destination: null,
    deliveryMode: null,
    redelivered: false,
    type: null,
    expiration: null,
    deliveryTime: null,
    priority: null,
  };
  /** @internal */
  readonly properties = new MessageProperties();
  /**
   * Acknowledges all messages that the context has delivered.
   *
   * @internal
   */
  onAcknowledge: () => Promise<void> = () => Promise.resolve();
  #isBodyReadOnly = false;

  /**
   * Returns the identity of a received message: `ID:` and 16 hexadecimal digits, the same on every
   * node. It is not the JMSMessageID of the broker. Null for a message that was not received.
   */
  getJMSMessageID(): string | null {
    return this.headers.messageId;
  }

  /** Returns the time at which the broker accepted the message, or the local time of `send`. */
  getJMSTimestamp(): number | null {
    return this.headers.timestamp;
  }

  /** Returns the JMSCorrelationID; null in messages of a topic without a subscription by name. */
  getJMSCorrelationID(): string | null {
    return this.headers.correlationId;
  }

  /** Sets the JMSCorrelationID. */
  setJMSCorrelationID(correlationId: string | null): void {
    this.headers.correlationId = correlationId;
  }

  /** Returns the JMSReplyTo; null in messages of a topic without a subscription by name. */
  getJMSReplyTo(): Destination | null {
    return this.headers.replyTo;
  }

  /** Sets the JMSReplyTo. */
  setJMSReplyTo(replyTo: Destination | null): void {
    this.headers.replyTo = replyTo;
  }

  /** Returns the destination; null before the message is sent. */
  getJMSDestination(): Destination | null {
    return this.headers.destination;
  }

  /** Returns the delivery mode of a sent message; null in received ones. */
  getJMSDeliveryMode(): DeliveryModeValue | null {
    return this.headers.deliveryMode;
  }

  /** Returns whether the message may have been delivered before. */
  getJMSRedelivered(): boolean {
    return this.headers.redelivered;
  }

  /** Returns the JMSType; null in messages of a topic without a subscription by name. */
  getJMSType(): string | null {
    return this.headers.type;
  }

  /** Sets the JMSType. */
  setJMSType(type: string | null): void {
    this.headers.type = type;
  }

  /** Returns the expiration of a sent message, 0 if it has none; null in received ones. */
  getJMSExpiration(): number | null {
    return this.headers.expiration;
  }

  /** Returns the earliest delivery time of a sent message; null in received ones. */
  getJMSDeliveryTime(): number | null {
    return this.headers.deliveryTime;
  }

  /** Returns the priority of a sent message; null in received ones. */
  getJMSPriority(): number | null {
    return this.headers.priority;
  }

  /** Returns the names of all properties. */
  getPropertyNames(): readonly string[] {
    return this.properties.names;
  }

  /** Returns whether there is a property with this name. */
  propertyExists(name: string): boolean {
    return this.properties.has(name);
  }

  /** Removes all properties; they can then be set, also in a received message. */
  clearProperties(): void {
    this.properties.clear();
  }

  /** Returns a property as boolean. */
  getBooleanProperty(name: string): boolean {
    return this.properties.get(name, "boolean") as boolean;
  }

  /** Returns a property as byte. */
  getByteProperty(name: string): number {
    return this.properties.get(name, "byte") as number;
  }

  /** Returns a property as short. */
  getShortProperty(name: string): number {
    return this.properties.get(name, "short") as number;
  }

  /** Returns a property as int. */
  getIntProperty(name: string): number {
    return this.properties.get(name, "int") as number;
  }

  /** Returns a property as long. */
  getLongProperty(name: string): number {
    return this.properties.get(name, "long") as number;
  }

  /** Returns a property as float. */
  getFloatProperty(name: string): number {
    return this.properties.get(name, "float") as number;
  }

  /** Returns a property as double. */
  getDoubleProperty(name: string): number {
    return this.properties.get(name, "double") as number;
  }

  /** Returns a property as string; null if there is none. */
  getStringProperty(name: string): string | null {
    return this.properties.get(name, "String") as string | null;
  }

  /** Returns a property without conversion; null if there is none. */
  getObjectProperty(name: string): BodyValue {
    return this.properties.getObject(name);
  }

  /** Sets a property of the type boolean. */
  setBooleanProperty(name: string, value: boolean): void {
    this.properties.set(name, "boolean", value);
  }

  /** Sets a property of the type byte. */
  setByteProperty(name: string, value: number): void {
    this.properties.set(name, "byte", value);
  }

  /** Sets a property of the type short. */
  setShortProperty(name: string, value: number): void {
    this.properties.set(name, "short", value);
  }

  /** Sets a property of the type int. */
  setIntProperty(name: string, value: number): void {
    this.properties.set(name, "int", value);
  }

  /** Sets a property of the type long, which must be exact as a number: up to 2^53 - 1. */
  setLongProperty(name: string, value: number | bigint): void {
    this.properties.set(name, "long", value);
  }

  /** Sets a property of the type float. */
  setFloatProperty(name: string, value: number): void {
    this.properties.set(name, "float", value);
  }

  /** Sets a property of the type double. */
  setDoubleProperty(name: string, value: number): void {
    this.properties.set(name, "double", value);
  }

  /** Sets a property of the type String; null is not sent. */
  setStringProperty(name: string, value: string | null): void {
    this.properties.set(name, "String", value);
  }

  /** Sets a property. An integer becomes int if it fits, otherwise long; others become double. */
  setObjectProperty(name: string, value: string | number | bigint | boolean | null): void {
    this.properties.setObject(name, value);
  }

  /**
   * Acknowledges all messages that the context has delivered, in the mode CLIENT_ACKNOWLEDGE. In
   * other modes it does nothing.
   */
  acknowledge(): Promise<void> {
    return this.onAcknowledge();
  }

  /** Removes the body; it can then be written, also in a received message. */
  clearBody(): void {
    this.#isBodyReadOnly = false;
  }

  /**
   * Makes the body read-only, as in received messages.
   *
   * @internal
   */
  protectBody(): void {
    this.#isBodyReadOnly = true;
  }

  /** @internal */
  protected checkWriteable(): void {
    if (!this.#isBodyReadOnly) return;
    throw new MessageNotWriteableException("the body of the message is read-only; see clearBody");
  }
}
