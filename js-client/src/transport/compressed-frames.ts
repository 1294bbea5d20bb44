import { Inflater } from "./inflate.js";

// Bits 0-3 of a frame's first byte are its type.
const TYPE = 0x0f;
const COMPRESSED = 0x03;
const KIND = 0x30;
const FULL = 0x00;
const NEXT = 0x10;
const PLAIN = 0x20;
const TEXT = 0x40;
const HAS_REF = 0x80;

// A number has seven bits in each byte; the highest bit is set if further bytes follow.
const MORE = 0x80;
const MAX_NUMBER_BYTES = 5;

const WINDOW = 32 * 1024;
// Default limit of inflated content. A node never reaches it: above 16 MiB it sends messages
// uncompressed. The default of its limits.broker-message-bytes is 1 MiB.
const MAX_BYTES = 64 * 2 ** 20;

// Position of the ref in a message, and the bit of a binary one that announces it.
const TEXT_HEAD = '{"type":"message"'.length;
const BINARY_HEAD = 20;

const NO_DICTIONARY = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Header {
  readonly kind: number;
  readonly isText: boolean;
  /** Number of a tagged subscription; undefined for a plain one. */
  readonly ref: number | undefined;
  /** Identity of the stream: its number, or a negative one for a ref. */
  readonly stream: number;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Frame that begins or ends a subscription, as far as it is needed here. */
interface SubscriptionFrame {
  readonly type: "subscribed" | "unsubscribed" | "error";
  readonly ref?: number;
  readonly topic?: string;
  readonly stream?: number;
  readonly tagged?: boolean;
  readonly subscription?: number;
}

/**
 * Decoder of the compressed frames of one connection: PROTOCOL.md, section 5. It retains the latest
 * message of each stream, with which the next one is compressed.
 */
export class FrameInflater {
  readonly #inflater: Inflater;
  /** Latest message by stream. */
  readonly #latest = new Map<number, Uint8Array<ArrayBuffer>>();
  /** Streams of the subscriptions by their ref, with the topic of a plain one. */
  readonly #streams = new Map<number, { readonly stream: number; readonly topic?: string }>();

  /** @param maxBytes - Maximum size of a decompressed message. */
  constructor(maxBytes = MAX_BYTES) {
    this.#inflater = new Inflater(maxBytes);
  }

  /** Returns a frame to send: `connect` announces this decoder and begins a session. */
  onSend<Data>(data: Data): Data | string {
    if (typeof data !== "string" || !data.startsWith('{"type":"connect"')) return data;
    this.#latest.clear();
    this.#streams.clear();
    return `${data.slice(0, -1)},"compressed":true}`;
  }

  /**
   * Returns a received frame, decompressed if necessary.
   *
   * @throws Error if it cannot be decompressed
   */
  onReceive(data: unknown): unknown {
    if (typeof data === "string") this.#follow(data);
    const isCompressed =
      data instanceof ArrayBuffer && ((new Uint8Array(data)[0] ?? 0) & TYPE) === COMPRESSED;
    return isCompressed ? this.#decode(toHeader(new Uint8Array(data))) : data;
  }

  /** Number of messages that are retained. */
  get size(): number {
    return this.#latest.size;
  }

  #decode({ kind, isText, ref, stream, content }: Header): string | ArrayBuffer {
    const message = this.#inflate(kind, stream, content);
    this.#latest.set(stream, message.slice(-WINDOW));
    if (isText) return withRef(decoder.decode(message), ref);
    return ref === undefined ? message.slice().buffer : withBinaryRef(message, ref);
  }

  #inflate(
    kind: number,
    stream: number,
    content: Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> {
    if (kind === PLAIN) return content;
    if (kind === FULL) return this.#inflater.inflate(content, NO_DICTIONARY);
    const previous = this.#latest.get(stream);
    if (kind !== NEXT || !previous) throw new Error(`stream ${String(stream)} has no dictionary`);
    return this.#inflater.inflate(content, previous);
  }

  /** Discards the messages of subscriptions that have ended. */
  #follow(text: string): void {
    if (!/^\{"type":"(?:(?:un)?subscribed|error)"/.test(text)) return;
    let parsed: SubscriptionFrame;
    try {
      parsed = JSON.parse(text) as SubscriptionFrame;
    } catch {
      // The client reports an unreadable frame.
      return;
    }
    const { type, ref = -1, topic, stream, tagged, ...frame } = parsed;
    if (type === "subscribed") {
      if (tagged) this.#streams.set(ref, { stream: streamOfRef(ref) });
      else if (stream !== undefined) this.#streams.set(ref, { stream, topic: topic ?? "" });
    } else if (type === "error") this.#end(ref);
    else if (frame.subscription !== undefined) this.#end(frame.subscription);
    else if (topic !== undefined) this.#end(this.#refOf(topic));
  }

  #end(ref: number | undefined): void {
    const ended = ref === undefined ? undefined : this.#streams.get(ref);
    if (!ended) return;
    this.#streams.delete(ref ?? -1);
    this.#latest.delete(ended.stream);
  }

  /** Returns the ref of the plain subscription to a topic. */
  #refOf(topic: string): number | undefined {
    return [...this.#streams].find(([, stream]) => stream.topic === topic)?.[0];
  }
}

function streamOfRef(ref: number): number {
  return -1 - ref;
}

function toHeader(frame: Uint8Array<ArrayBuffer>): Header {
  const first = frame[0] ?? 0;
  let number = 0;
  let at = 1;
  let more = MORE;
  for (; more !== 0; at++) {
    const byte = frame[at];
    if (byte === undefined || at > MAX_NUMBER_BYTES) {
      throw new Error("the number of a compressed frame is invalid");
    }
    number += (byte & (MORE - 1)) * 2 ** (7 * (at - 1));
    more = byte & MORE;
  }
  const ref = (first & HAS_REF) === 0 ? undefined : number;
  return {
    kind: first & KIND,
    isText: (first & TEXT) !== 0,
    ref,
    stream: ref === undefined ? number : streamOfRef(ref),
    content: frame.subarray(at),
  };
}

function withRef(text: string, ref: number | undefined): string {
  if (ref === undefined) return text;
  return `${text.slice(0, TEXT_HEAD)},"ref":${String(ref)}${text.slice(TEXT_HEAD)}`;
}

function withBinaryRef(message: Uint8Array, ref: number): ArrayBuffer {
  const tagged = new Uint8Array(message.length + 4);
  tagged.set(message.subarray(0, BINARY_HEAD));
  tagged.set(message.subarray(BINARY_HEAD), BINARY_HEAD + 4);
  const view = new DataView(tagged.buffer);
  view.setUint8(0, view.getUint8(0) | HAS_REF);
  view.setUint32(BINARY_HEAD, ref);
  return tagged.buffer;
}
