import { BODY_CONVERSIONS, convert } from "./conversions.js";
import { MessageFormatException } from "./exceptions.js";
import { Message } from "./message.js";
import {
  inferred,
  received,
  typed,
  type BodyValue,
  type JmsType,
  type TypedValue,
} from "./typed-value.js";

/**
 * Message with named values. The protocol transmits JSON: an integer arrives as int or long, any
 * other number as double, and a char as String. Received bytes are strings in base64, which
 * `getBytes` decodes.
 */
export class MapMessage extends Message {
  readonly #values = new Map<string, TypedValue>();

  /** Returns the names. */
  getMapNames(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Returns whether there is a value with this name. */
  itemExists(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns all values as an object. */
  getBody(): Record<string, BodyValue> {
    return Object.fromEntries([...this.#values].map(([name, { value }]) => [name, value]));
  }

  /** Removes all values. */
  override clearBody(): void {
    super.clearBody();
    this.#values.clear();
  }

  /** Returns a value as boolean. */
  getBoolean(name: string): boolean {
    return this.#get(name, "boolean") as boolean;
  }

  /** Returns a value as byte. */
  getByte(name: string): number {
    return this.#get(name, "byte") as number;
  }

  /** Returns a value as short. */
  getShort(name: string): number {
    return this.#get(name, "short") as number;
  }

  /** Returns a value of the type char; received ones are strings, see `getString`. */
  getChar(name: string): string {
    return this.#get(name, "char") as string;
  }

  /** Returns a value as int. */
  getInt(name: string): number {
    return this.#get(name, "int") as number;
  }

  /** Returns a value as long. */
  getLong(name: string): number {
    return this.#get(name, "long") as number;
  }

  /** Returns a value as float. */
  getFloat(name: string): number {
    return this.#get(name, "float") as number;
  }

  /** Returns a value as double. */
  getDouble(name: string): number {
    return this.#get(name, "double") as number;
  }

  /** Returns a value as string; null if there is none. */
  getString(name: string): string | null {
    return this.#get(name, "String") as string | null;
  }

  /** Returns a value as bytes; null if there is none. */
  getBytes(name: string): Uint8Array | null {
    return this.#get(name, "byte[]") as Uint8Array | null;
  }

  /** Returns a value without conversion; null if there is none. */
  getObject(name: string): BodyValue {
    return this.#values.get(name)?.value ?? null;
  }

  /** Sets a boolean. */
  setBoolean(name: string, value: boolean): void {
    this.#set(name, "boolean", value);
  }

  /** Sets a byte. */
  setByte(name: string, value: number): void {
    this.#set(name, "byte", value);
  }

  /** Sets a short. */
  setShort(name: string, value: number): void {
    this.#set(name, "short", value);
  }

  /** Sets a char, a string with one UTF-16 code unit. */
  setChar(name: string, value: string): void {
    this.#set(name, "char", value);
  }

  /** Sets an int. */
  setInt(name: string, value: number): void {
    this.#set(name, "int", value);
  }

  /** Sets a long, which must be exact as a number: up to 2^53 - 1. */
  setLong(name: string, value: number | bigint): void {
    this.#set(name, "long", value);
  }

  /** Sets a float. */
  setFloat(name: string, value: number): void {
    this.#set(name, "float", value);
  }

  /** Sets a double. */
  setDouble(name: string, value: number): void {
    this.#set(name, "double", value);
  }

  /** Sets a string. */
  setString(name: string, value: string | null): void {
    this.#set(name, "String", value);
  }

  /** Sets bytes, which are copied. */
  setBytes(name: string, value: Uint8Array, offset = 0, length = value.length - offset): void {
    this.#set(name, "byte[]", value.slice(offset, offset + length));
  }

  /** Sets a value of the type that follows from it. */
  setObject(name: string, value: BodyValue | bigint): void {
    this.#put(name, inferred(`value ${name}`, value));
  }

  /**
   * Fills the body of a received message.
   *
   * @internal
   */
  receive(values: Readonly<Record<string, BodyValue>>): void {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, received(value));
  }

  #get(name: string, type: JmsType): BodyValue {
    return convert(BODY_CONVERSIONS, `value ${name}`, this.#values.get(name), type);
  }

  #set(name: string, type: JmsType, value: unknown): void {
    this.#put(name, typed(type, `value ${name}`, value));
  }

  #put(name: string, value: TypedValue): void {
    this.checkWriteable();
    if (name === "") throw new MessageFormatException("the name of a value must not be empty");
    this.#values.set(name, value);
  }
}
