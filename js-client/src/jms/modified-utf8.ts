const MAX_LENGTH = 65_535;

/**
 * Returns the text in Java's modified UTF-8: each UTF-16 code unit separately, and two bytes for
 * the null character. Throws a RangeError above 65,535 bytes.
 */
export function encodeModifiedUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit !== 0 && unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), continuation(unit));
    else bytes.push(0xe0 | (unit >> 12), continuation(unit >> 6), continuation(unit));
  }
  if (bytes.length > MAX_LENGTH) {
    throw new RangeError(
      `the text has ${String(bytes.length)} bytes, of at most ${String(MAX_LENGTH)}`,
    );
  }
  return Uint8Array.from(bytes);
}

/** Returns the text of bytes in modified UTF-8; throws a RangeError if they are not valid. */
export function decodeModifiedUtf8(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length;) {
    const first = bytes[index] ?? 0;
    const length = first < 0x80 ? 1 : first >> 5 === 0b110 ? 2 : first >> 4 === 0b1110 ? 3 : 0;
    let unit = length === 1 ? first : first & (0xff >> (length + 1));
    for (let offset = 1; offset < length; offset++) {
      unit = (unit << 6) | payloadOf(bytes[index + offset]);
    }
    if (length === 0) throw new RangeError(`byte ${String(index)} is not modified UTF-8`);
    text += String.fromCharCode(unit);
    index += length;
  }
  return text;
}

function continuation(unit: number): number {
  return 0x80 | (unit & 0x3f);
}

function payloadOf(byte: number | undefined): number {
  if (byte !== undefined && byte >> 6 === 0b10) return byte & 0x3f;
  throw new RangeError("a character is not complete");
}
