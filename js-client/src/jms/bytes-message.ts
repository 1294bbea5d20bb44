import {
  MessageEOFException,
  MessageFormatException,
  MessageNotReadableException,
} from "./exceptions.js";
import { Message } from "./message.js";
import { decodeModifiedUtf8, encodeModifiedUtf8 } from "./modified-utf8.js";
import { toNumber, type BodyValue, type JmsType } from "./typed-value.js";

const INITIAL_CAPACITY = 64;

/** Message with bytes, in network byte order as in Java; write-only until `reset` or reception. */
export class BytesMessage extends Message {
  #bytes = new Uint8Array(INITIAL_CAPACITY);
  #length = 0;
  #position = 0;
  #isReadable = false;

  /** Makes the body read-only, and continues to read at its start. */
  reset(): void {
    this.protectBody();
    this.#isReadable = true;
    this.#position = 0;
  }

  /** Removes all bytes; the message is then write-only. */
  override clearBody(): void {
    super.clearBody();
    this.#length = this.#position = 0;
    this.#isReadable = false;
  }

  /** Returns a copy of all bytes. */
  getBody(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Returns the number of bytes. */
  getBodyLength(): number {
    this.#checkReadable();
    return this.#length;
  }

  /** Reads a boolean. */
  readBoolean(): boolean {
    return this.#read(1).getUint8(0) !== 0;
  }

  /** Reads a signed byte. */
  readByte(): number {
    return this.#read(1).getInt8(0);
  }

  /** Reads an unsigned byte. */
  readUnsignedByte(): number {
    return this.#read(1).getUint8(0);
  }

  /** Reads a short. */
  readShort(): number {
    return this.#read(2).getInt16(0);
  }

  /** Reads an unsigned short. */
  readUnsignedShort(): number {
    return this.#read(2).getUint16(0);
  }

  /** Reads a char. */
  readChar(): string {
    return String.fromCharCode(this.readUnsignedShort());
  }

  /** Reads an int. */
  readInt(): number {
    return this.#read(4).getInt32(0);
  }

  /** Reads a long; a bigint, because not every long is exact as a number. */
  readLong(): bigint {
    return this.#read(8).getBigInt64(0);
  }

  /** Reads a float. */
  readFloat(): number {
    return this.#read(4).getFloat32(0);
  }

  /** Reads a double. */
  readDouble(): number {
    return this.#read(8).getFloat64(0);
  }

  /** Reads a string that `writeUTF` has written. */
  readUTF(): string {
    const start = this.#position;
    try {
      const length = this.readUnsignedShort();
      const { buffer, byteOffset } = this.#read(length);
      return decodeModifiedUtf8(new Uint8Array(buffer, byteOffset, length));
    } catch (thrown) {
      this.#position = start;
      if (!(thrown instanceof RangeError)) throw thrown;
      throw new MessageFormatException(`byte ${String(start)}: ${thrown.message}`, "jms", thrown);
    }
  }

  /**
   * Reads bytes into `target`.
   *
   * @param length - Maximum number of bytes; by default the length of `target`.
   * @returns the number of bytes, less than `length` at the end, or -1 if there are none left
   */
  readBytes(target: Uint8Array, length = target.length): number {
    this.#checkReadable();
    const count = Math.min(length, target.length, this.#length - this.#position);
    if (count === 0 && length > 0) return -1;
    target.set(this.#bytes.subarray(this.#position, this.#position + count));
    this.#position += count;
    return count;
  }

  /** Writes a boolean as one byte. */
  writeBoolean(value: boolean): void {
    this.#write(1).setUint8(0, value ? 1 : 0);
  }

  /** Writes a byte. */
  writeByte(value: number): void {
    const byte = checked("byte", value);
    this.#write(1).setInt8(0, byte);
  }

  /** Writes a short. */
  writeShort(value: number): void {
    const short = checked("short", value);
    this.#write(2).setInt16(0, short);
  }

  /** Writes a char, a string with one UTF-16 code unit. */
  writeChar(value: string): void {
    if (value.length !== 1) throw new MessageFormatException("value must be one character");
    this.#write(2).setUint16(0, value.charCodeAt(0));
  }

  /** Writes an int. */
  writeInt(value: number): void {
    const int = checked("int", value);
    this.#write(4).setInt32(0, int);
  }

  /** Writes a long. */
  writeLong(value: number | bigint): void {
    const long = typeof value === "bigint" ? value : BigInt(checked("long", value));
    if (BigInt.asIntN(64, long) !== long) {
      throw new MessageFormatException(`value must be a long, not ${String(long)}`);
    }
    this.#write(8).setBigInt64(0, long);
  }

  /** Writes a float. */
  writeFloat(value: number): void {
    this.#write(4).setFloat32(0, value);
  }

  /** Writes a double. */
  writeDouble(value: number): void {
    this.#write(8).setFloat64(0, value);
  }

  /** Writes a string in modified UTF-8 with its length, at most 65,535 bytes. */
  writeUTF(value: string): void {
    let bytes: Uint8Array;
    try {
      bytes = encodeModifiedUtf8(value);
    } catch (cause) {
      throw new MessageFormatException((cause as Error).message, "jms", cause);
    }
    this.#write(2).setUint16(0, bytes.length);
    this.writeBytes(bytes);
  }

  /** Writes bytes. */
  writeBytes(value: Uint8Array, offset = 0, length = value.length - offset): void {
    const bytes = value.subarray(offset, offset + length);
    const { byteOffset } = this.#write(bytes.length);
    this.#bytes.set(bytes, byteOffset);
  }

  /** Writes a value of the type that follows from it; a string as `writeUTF` does. */
  writeObject(value: Exclude<BodyValue, null> | bigint): void {
    if (typeof value === "boolean") this.writeBoolean(value);
    else if (typeof value === "string") this.writeUTF(value);
    else if (value instanceof Uint8Array) this.writeBytes(value);
    else if (typeof value === "bigint") this.writeLong(value);
    else if (!Number.isSafeInteger(value)) this.writeDouble(value);
    else if (value === (value | 0)) this.writeInt(value);
    else this.writeLong(value);
  }

  /**
   * Fills the body of a received message.
   *
   * @internal
   */
  receive(bytes: Uint8Array): void {
    this.#bytes = Uint8Array.from(bytes);
    this.#length = bytes.length;
    this.reset();
  }

  #checkReadable(): void {
    if (this.#isReadable) return;
    throw new MessageNotReadableException("the bytes are write-only; call reset first");
  }

  #read(count: number): DataView {
    this.#checkReadable();
    const start = this.#position;
    if (start + count > this.#length) {
      throw new MessageEOFException(`the message has only ${String(this.#length)} bytes`);
    }
    this.#position += count;
    return new DataView(this.#bytes.buffer, start, count);
  }

  /** Appends bytes and returns the view to fill them. */
  #write(count: number): DataView {
    this.checkWriteable();
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    return new DataView(this.#bytes.buffer, start, count);
  }
}

function checked(type: JmsType, value: number): number {
  return toNumber(type, "value", value);
}
