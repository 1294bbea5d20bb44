import { BODY_CONVERSIONS, convert } from "./conversions.js";
import {
  MessageEOFException,
  MessageFormatException,
  MessageNotReadableException,
} from "./exceptions.js";
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
 * Message with a sequence of values; write-only until `reset` or reception. Values are transmitted
 * like those of a MapMessage.
 */
export class StreamMessage extends Message {
  #values: TypedValue[] = [];
  #isReadable = false;
  #next = 0;
  /** Bytes of the next value that `readBytes` has returned; undefined before its first call. */
  #bytesRead: number | undefined;

  /** Makes the body read-only, and continues to read at its start. */
  reset(): void {
    this.protectBody();
    this.#isReadable = true;
    this.#next = 0;
    this.#bytesRead = undefined;
  }

  /** Removes all values; the message is then write-only. */
  override clearBody(): void {
    super.clearBody();
    this.#values = [];
    this.#isReadable = false;
    this.#next = 0;
    this.#bytesRead = undefined;
  }

  /** Reads a boolean. */
  readBoolean(): boolean {
    return this.#read("boolean") as boolean;
  }

  /** Reads a byte. */
  readByte(): number {
    return this.#read("byte") as number;
  }

  /** Reads a short. */
  readShort(): number {
    return this.#read("short") as number;
  }

  /** Reads a char; received ones are strings, see `readString`. */
  readChar(): string {
    return this.#read("char") as string;
  }

  /** Reads an int. */
  readInt(): number {
    return this.#read("int") as number;
  }

  /** Reads a long. */
  readLong(): number {
    return this.#read("long") as number;
  }

  /** Reads a float. */
  readFloat(): number {
    return this.#read("float") as number;
  }

  /** Reads a double. */
  readDouble(): number {
    return this.#read("double") as number;
  }

  /** Reads a string. */
  readString(): string | null {
    return this.#read("String") as string | null;
  }

  /** Reads a value without conversion. */
  readObject(): BodyValue {
    const { value } = this.#peek();
    this.#next++;
    return value;
  }

  /**
   * Reads bytes of one value into `target`.
   *
   * @returns the number of bytes, or -1 if the value is null or was read completely. Another value
   *   can be read after a result that is less than the length of `target`.
   */
  readBytes(target: Uint8Array): number {
    const from = this.#bytesRead ?? 0;
    const current = this.#peek(true);
    const bytes = convert(BODY_CONVERSIONS, this.#position, current, "byte[]") as Uint8Array | null;
    const isOver = bytes === null || (this.#bytesRead !== undefined && from === bytes.length);
    const piece = bytes?.subarray(from, from + target.length) ?? new Uint8Array();
    target.set(piece);
    this.#bytesRead = from + piece.length;
    if (isOver || piece.length < target.length) this.#advance();
    return isOver ? -1 : piece.length;
  }

  /** Writes a boolean. */
  writeBoolean(value: boolean): void {
    this.#write("boolean", value);
  }

  /** Writes a byte. */
  writeByte(value: number): void {
    this.#write("byte", value);
  }

  /** Writes a short. */
  writeShort(value: number): void {
    this.#write("short", value);
  }

  /** Writes a char, a string with one UTF-16 code unit. */
  writeChar(value: string): void {
    this.#write("char", value);
  }

  /** Writes an int. */
  writeInt(value: number): void {
    this.#write("int", value);
  }

  /** Writes a long, which must be exact as a number: up to 2^53 - 1. */
  writeLong(value: number | bigint): void {
    this.#write("long", value);
  }

  /** Writes a float. */
  writeFloat(value: number): void {
    this.#write("float", value);
  }

  /** Writes a double. */
  writeDouble(value: number): void {
    this.#write("double", value);
  }

  /** Writes a string. */
  writeString(value: string | null): void {
    this.#write("String", value);
  }

  /** Writes bytes, which are copied. */
  writeBytes(value: Uint8Array, offset = 0, length = value.length - offset): void {
    this.#write("byte[]", value.slice(offset, offset + length));
  }

  /** Writes a value of the type that follows from it. */
  writeObject(value: BodyValue | bigint): void {
    this.checkWriteable();
    this.#values.push(inferred("value", value));
  }

  /**
   * Returns all values.
   *
   * @internal
   */
  get values(): readonly BodyValue[] {
    return this.#values.map(({ value }) => value);
  }

  /**
   * Fills the body of a received message.
   *
   * @internal
   */
  receive(values: readonly BodyValue[]): void {
    this.#values = values.map(received);
    this.reset();
  }

  get #position(): string {
    return `value ${String(this.#next + 1)}`;
  }

  /** Reads a value; the position remains if it cannot be converted. */
  #read(type: JmsType): BodyValue {
    const value = convert(BODY_CONVERSIONS, this.#position, this.#peek(), type);
    this.#advance();
    return value;
  }

  #peek(isBytes = false): TypedValue {
    if (!this.#isReadable) {
      throw new MessageNotReadableException("the stream is write-only; call reset first");
    }
    if (this.#bytesRead !== undefined && !isBytes) {
      throw new MessageFormatException(`${this.#position} was not read completely by readBytes`);
    }
    const value = this.#values[this.#next];
    if (value) return value;
    throw new MessageEOFException(`the stream has only ${String(this.#values.length)} values`);
  }

  #advance(): void {
    this.#next++;
    this.#bytesRead = undefined;
  }

  #write(type: JmsType, value: unknown): void {
    this.checkWriteable();
    this.#values.push(typed(type, "value", value));
  }
}
