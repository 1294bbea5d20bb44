import type { ConnectionEnd } from "../engine/state.js";

/** Callbacks for the frames of a stream, in order. */
export interface FrameListener {
  onText(text: string): void;
  onBinary(bytes: ArrayBuffer): void;
  onPing(): void;
}

const FIN = 0x80;
const FIRST_BYTE_FLAGS = 0xf0;
const OPCODE = 0x0f;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MAX_CONTROL = 125;
const MAX_HEAD = 10;
// Far above the default limit of a node, 1 MiB.
const MAX_FRAME = 64 * 2 ** 20;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Incremental parser for a stream of WebSocket frames, split at arbitrary points: RFC 6455, section
 * 5.2, unmasked, unfragmented and uncompressed.
 */
export class FrameReader {
  readonly #listener: FrameListener;
  readonly #head = new Uint8Array(MAX_HEAD);
  #headFilled = 0;
  /** Payload of the current frame; undefined while its header is being read. */
  #payload: Uint8Array<ArrayBuffer> | undefined;
  #payloadFilled = 0;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /**
   * Parses the next chunk.
   *
   * @returns the close code and reason if the chunk has a close frame; what follows it is ignored
   * @throws Error if the stream is invalid
   */
  push(piece: Uint8Array): ConnectionEnd | undefined {
    let rest = piece;
    while (rest.length > 0) {
      rest = this.#payload ? this.#fill(this.#payload, rest) : this.#fillHead(rest);
      if (this.#payload?.length !== this.#payloadFilled) continue;
      const end = this.#dispatch(this.#payload);
      if (end) return end;
    }
    return undefined;
  }

  /** Reads header bytes; returns the remaining bytes. */
  #fillHead(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, this.#headLength() - this.#headFilled);
    this.#head.set(taken, this.#headFilled);
    this.#headFilled += taken.length;
    if (this.#headFilled === this.#headLength()) {
      this.#payload = new Uint8Array(this.#payloadLength());
      this.#payloadFilled = 0;
    }
    return bytes.subarray(taken.length);
  }

  #fill(payload: Uint8Array, bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, payload.length - this.#payloadFilled);
    payload.set(taken, this.#payloadFilled);
    this.#payloadFilled += taken.length;
    return bytes.subarray(taken.length);
  }

  /** Returns the header length according to the bytes read so far. */
  #headLength(): number {
    if (this.#headFilled < 2) return 2;
    const short = this.#head[1] ?? 0;
    if (short === LENGTH_16) return 4;
    return short === LENGTH_64 ? MAX_HEAD : 2;
  }

  #payloadLength(): number {
    const [first = 0, short = 0] = this.#head;
    if ((first & FIRST_BYTE_FLAGS) !== FIN || short > LENGTH_64) {
      throw new Error("invalid frame header");
    }
    const view = new DataView(this.#head.buffer);
    if (short < LENGTH_16) return short;
    const length = short === LENGTH_16 ? view.getUint16(2) : Number(view.getBigUint64(2));
    const maxLength = (first & OPCODE) >= CLOSE ? MAX_CONTROL : MAX_FRAME;
    if (length > maxLength)
      throw new Error(
        `frame of ${String(length)} bytes exceeds the limit (${String(maxLength)} bytes)`,
      );
    return length;
  }

  #dispatch(payload: Uint8Array<ArrayBuffer>): ConnectionEnd | undefined {
    const opcode = (this.#head[0] ?? 0) & OPCODE;
    this.#payload = undefined;
    this.#headFilled = 0;
    switch (opcode) {
      case TEXT:
        this.#listener.onText(decoder.decode(payload));
        return undefined;
      case BINARY:
        this.#listener.onBinary(payload.buffer);
        return undefined;
      case PING:
        this.#listener.onPing();
        return undefined;
      case PONG:
        return undefined;
      case CLOSE:
        return toEnd(payload);
      default:
        throw new Error(`unknown opcode ${String(opcode)}`);
    }
  }
}

function toEnd(payload: Uint8Array<ArrayBuffer>): ConnectionEnd {
  if (payload.length < 2) return { code: 1005, reason: "" };
  const code = new DataView(payload.buffer).getUint16(0);
  return { code, reason: decoder.decode(payload.subarray(2)) };
}
