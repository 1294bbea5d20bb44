// Base values and extra bits of lengths and distances: RFC 1951, section 3.2.5.
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const LENGTH_EXTRA = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const END_OF_BLOCK = 256;
// Entries of a table contain a symbol above the four bits of its code's length.
const SYMBOL_SHIFT = 4;
const LENGTH_MASK = 15;
const INITIAL_BYTES = 4096;
// A larger buffer is not kept for the next result.
const MAX_KEPT_BYTES = 256 * 1024;

/** Decoding table of a Huffman code, indexed by the next `bits` bits of the input. */
interface HuffmanTable {
  readonly entries: Uint16Array;
  readonly bits: number;
}

const FIXED_LENGTHS = new Uint8Array(288).map((_, symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
);
const FIXED_SYMBOLS = tableOf(FIXED_LENGTHS);
const FIXED_DISTANCES = tableOf(new Uint8Array(30).fill(5));

/**
 * Decompressor of raw DEFLATE data (RFC 1951) with a preset dictionary. The data may end as in RFC
 * 7692, without the last four bytes of a flushed stream.
 *
 * The buffer for results is reused: a result is valid until the next call.
 */
export class Inflater {
  readonly #maxBytes: number;
  #out = new Uint8Array(INITIAL_BYTES);
  #size = 0;
  #in = new Uint8Array(0);
  #at = 0;
  /** Bits that were read from the input and are not used yet. */
  #hold = 0;
  #bits = 0;

  /** @param maxBytes - Maximum size of a result. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Decompresses data.
   *
   * @throws Error if it is corrupt, or its content is larger than the limit
   */
  inflate(data: Uint8Array<ArrayBuffer>, dictionary: Uint8Array): Uint8Array<ArrayBuffer> {
    this.#in = data;
    this.#at = this.#hold = this.#bits = this.#size = 0;
    let isFinal = false;
    while (!isFinal) {
      isFinal = this.#take(1) === 1;
      const type = this.#take(2);
      if (type === 0) {
        // The stored block that ends the data has lost its length.
        if (this.#at - (this.#bits >> 3) === data.length) break;
        this.#store();
      } else if (type === 1) this.#expand(FIXED_SYMBOLS, FIXED_DISTANCES, dictionary);
      else if (type === 2) this.#expandDynamic(dictionary);
      else throw corrupt("block type");
    }
    const result = this.#out.subarray(0, this.#size);
    if (this.#out.length > MAX_KEPT_BYTES) this.#out = new Uint8Array(INITIAL_BYTES);
    return result;
  }

  /** Reads bits, the least significant one first. */
  #take(count: number): number {
    this.#fill(count);
    if (this.#bits < count) throw corrupt("end");
    const value = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#bits -= count;
    return value;
  }

  #fill(count: number): void {
    while (this.#bits < count && this.#at < this.#in.length) {
      this.#hold |= (this.#in[this.#at++] ?? 0) << this.#bits;
      this.#bits += 8;
    }
  }

  #symbol({ entries, bits }: HuffmanTable): number {
    this.#fill(bits);
    const entry = entries[this.#hold & ((1 << bits) - 1)] ?? 0;
    const length = entry & LENGTH_MASK;
    if (length === 0 || length > this.#bits) throw corrupt("code");
    this.#hold >>>= length;
    this.#bits -= length;
    return entry >> SYMBOL_SHIFT;
  }

  /** Copies a block without compression. */
  #store(): void {
    this.#hold = 0;
    this.#at -= this.#bits >> 3;
    this.#bits = 0;
    const length = this.#take(16);
    if (this.#take(16) !== (~length & 0xffff)) throw corrupt("length");
    const block = this.#in.subarray(this.#at, this.#at + length);
    if (block.length < length) throw corrupt("end");
    this.#reserve(length);
    this.#out.set(block, this.#size);
    this.#size += length;
    this.#at += length;
  }

  #expandDynamic(dictionary: Uint8Array): void {
    const symbols = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const codes = this.#take(4) + 4;
    const codeLengths = new Uint8Array(CODE_ORDER.length);
    for (const code of CODE_ORDER.slice(0, codes)) codeLengths[code] = this.#take(3);
    const lengths = this.#readLengths(tableOf(codeLengths), symbols + distances);
    this.#expand(
      tableOf(lengths.subarray(0, symbols)),
      tableOf(lengths.subarray(symbols)),
      dictionary,
    );
  }

  #readLengths(table: HuffmanTable, count: number): Uint8Array {
    const lengths = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const symbol = this.#symbol(table);
      if (symbol < 16) {
        lengths[at++] = symbol;
        continue;
      }
      const value = symbol === 16 ? lengths[at - 1] : 0;
      const repeat = this.#repeat(symbol);
      if (value === undefined || at + repeat > count) throw corrupt("code length");
      lengths.fill(value, at, at + repeat);
      at += repeat;
    }
    return lengths;
  }

  #repeat(symbol: number): number {
    if (symbol === 16) return 3 + this.#take(2);
    return symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
  }

  #expand(symbols: HuffmanTable, distances: HuffmanTable, dictionary: Uint8Array): void {
    for (;;) {
      const symbol = this.#symbol(symbols);
      if (symbol === END_OF_BLOCK) return;
      if (symbol < END_OF_BLOCK) {
        this.#reserve(1);
        this.#out[this.#size++] = symbol;
        continue;
      }
      const length = this.#number(LENGTHS, LENGTH_EXTRA, symbol - 257);
      const distance = this.#number(DISTANCES, DISTANCE_EXTRA, this.#symbol(distances));
      this.#repeatBytes(length, distance, dictionary);
    }
  }

  /** Reads a length or a distance. */
  #number(bases: readonly number[], extra: readonly number[], code: number): number {
    const base = bases[code];
    if (base === undefined) throw corrupt("symbol");
    return base + this.#take(extra[code] ?? 0);
  }

  /** Repeats earlier bytes of the result, or of the dictionary before it. */
  #repeatBytes(length: number, distance: number, dictionary: Uint8Array): void {
    this.#reserve(length);
    const out = this.#out;
    let from = this.#size - distance;
    if (dictionary.length + from < 0) throw corrupt("distance");
    const end = this.#size + length;
    let to = this.#size;
    for (; from < 0 && to < end; from++) out[to++] = dictionary[dictionary.length + from] ?? 0;
    for (; to < end; from++) out[to++] = out[from] ?? 0;
    this.#size = end;
  }

  #reserve(more: number): void {
    const needed = this.#size + more;
    if (needed > this.#maxBytes) {
      throw new Error(`content exceeds the limit (${String(this.#maxBytes)} bytes)`);
    }
    if (needed <= this.#out.length) return;
    const larger = new Uint8Array(Math.max(needed, Math.min(this.#maxBytes, 2 * this.#out.length)));
    larger.set(this.#out);
    this.#out = larger;
  }
}

/** Returns the decoding table of a canonical code: RFC 1951, section 3.2.2. */
function tableOf(lengths: Uint8Array): HuffmanTable {
  const bits = Math.max(1, ...lengths);
  const entries = new Uint16Array(1 << bits);
  let code = 0;
  for (let length = 1; length <= bits; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      if (code >= 1 << length) throw corrupt("code");
      const entry = (symbol << SYMBOL_SHIFT) | length;
      const step = 1 << length;
      for (let at = reversed(code++, length); at < entries.length; at += step) entries[at] = entry;
    }
    code <<= 1;
  }
  return { entries, bits };
}

function reversed(code: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value |= ((code >> i) & 1) << (length - 1 - i);
  return value;
}

function corrupt(part: string): Error {
  return new Error(`compressed data is corrupt: invalid ${part}`);
}
