import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { FrameInflater } from "../src/transport/compressed-frames.js";
import { encodeConnect } from "../src/engine/frames.js";
import { Inflater } from "../src/transport/inflate.js";
import { randomFrom } from "./support.js";

interface GoldenFrame {
  readonly name: string;
  readonly frame: string;
  readonly text?: string;
  readonly binary?: string;
}

interface Golden {
  readonly clientCompressed: readonly { readonly text: string }[];
  readonly compressed: readonly GoldenFrame[];
  readonly compressedInvalid: readonly GoldenFrame[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/golden.json", "utf8")) as Golden;
const NO_DICTIONARY = new Uint8Array(0);

function toBuffer(hex: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(hex, "hex")).buffer;
}

function toHex(frame: unknown): string {
  assert.ok(frame instanceof ArrayBuffer);
  return Buffer.from(frame).toString("hex");
}

/** Compresses a message like a node. */
function deflate(content: Uint8Array, options: object = {}): Uint8Array<ArrayBuffer> {
  const flushed = deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH, ...options });
  return Uint8Array.from(flushed.subarray(0, -4));
}

function frame(first: number, number: number, content: Uint8Array): ArrayBuffer {
  return Uint8Array.from([first, number, ...content]).buffer;
}

describe("golden compressed frames", () => {
  test("shouldDecode", () => {
    const inflater = new FrameInflater();
    for (const { name, frame, text, binary } of golden.compressed) {
      const decoded = inflater.onReceive(toBuffer(frame));
      if (text === undefined) assert.equal(toHex(decoded), binary, name);
      else assert.equal(decoded, text, name);
    }
    assert.equal(inflater.size, 4);
  });

  for (const { name, frame } of golden.compressedInvalid) {
    test(`shouldRefuse ${name}`, () => {
      assert.throws(() => new FrameInflater().onReceive(toBuffer(frame)), Error);
    });
  }

  test("shouldEncode connect", () => {
    const connect = encodeConnect("s3cret", { redirect: true }, false);
    const text = golden.clientCompressed[0]?.text;
    assert.equal(new FrameInflater().onSend(connect), text);
  });
});

describe("compressed frames of a connection", () => {
  const plain = new TextEncoder().encode('{"type":"message"}');
  const next = deflate(plain, { dictionary: plain });

  function receive(inflater: FrameInflater, ...frames: (object | ArrayBuffer)[]): void {
    for (const one of frames) {
      inflater.onReceive(one instanceof ArrayBuffer ? one : JSON.stringify(one));
    }
  }

  test("shouldPassOtherFrames", () => {
    const inflater = new FrameInflater();
    const binary = Uint8Array.of(0x01, 3).buffer;
    assert.equal(inflater.onReceive(binary), binary);
    assert.equal(inflater.onReceive('{"type":"message"}'), '{"type":"message"}');
    assert.equal(inflater.onReceive(null), null);
    assert.ok(inflater.onReceive(new ArrayBuffer(0)) instanceof ArrayBuffer);
    assert.equal(inflater.onSend('{"type":"ping"}'), '{"type":"ping"}');
  });

  test("shouldForgetMessagesWithANewSession", () => {
    const inflater = new FrameInflater();
    receive(inflater, frame(0x63, 7, plain));
    inflater.onSend('{"type":"connect"}');
    assert.equal(inflater.size, 0);
    assert.throws(() => inflater.onReceive(frame(0x53, 7, next)), /no dictionary/);
  });

  test("shouldForgetMessagesOfEndedSubscriptions", () => {
    const inflater = new FrameInflater();
    receive(
      inflater,
      { type: "subscribed", ref: 1, topic: "a", stream: 7 },
      { type: "subscribed", ref: 2, topic: "b", stream: 8 },
      { type: "subscribed", ref: 3, topic: "a", tagged: true },
      frame(0x63, 7, plain),
      frame(0x63, 8, plain),
      frame(0xe3, 3, plain),
    );
    receive(inflater, { type: "error", ref: 9, code: "forbidden", message: "", topic: "a" });
    receive(inflater, { type: "unsubscribed", ref: 10, topic: "c" });
    assert.equal(inflater.size, 3);
    receive(inflater, { type: "unsubscribed", ref: 11, topic: "a" });
    assert.equal(inflater.size, 2);
    receive(inflater, frame(0xd3, 3, next), frame(0x53, 8, next));
    receive(inflater, { type: "unsubscribed", ref: 12, topic: "a", subscription: 3 });
    receive(inflater, { type: "error", ref: 2, code: "forbidden", message: "", topic: "b" });
    assert.equal(inflater.size, 0);
  });

  test("shouldKeepMessagesIfAnEndNamesNoSubscription", () => {
    const inflater = new FrameInflater();
    receive(
      inflater,
      { type: "subscribed", ref: 3, topic: "a", tagged: true },
      { type: "subscribed", ref: 4, topic: "a", stream: 7 },
      frame(0xe3, 3, plain),
      frame(0x63, 7, plain),
    );
    receive(inflater, { type: "unsubscribed", ref: 5 });
    receive(inflater, frame(0xd3, 3, next), frame(0x53, 7, next));
    assert.equal(inflater.size, 2);
  });

  test("shouldNotShareBytesWithTheApplication", () => {
    const inflater = new FrameInflater();
    for (const first of [0x23, 0x13, 0x13]) {
      const content = first === 0x23 ? plain : next;
      const decoded = inflater.onReceive(frame(first, 7, content)) as ArrayBuffer;
      assert.deepEqual(new Uint8Array(decoded), plain);
      new Uint8Array(decoded).fill(0);
    }
  });

  test("shouldBoundTheExpansion", () => {
    const limit = 100_000;
    const inflater = new FrameInflater(limit);
    const within = inflater.onReceive(frame(0x03, 7, deflate(new Uint8Array(limit))));
    assert.equal((within as ArrayBuffer).byteLength, limit);
    const beyond = frame(0x03, 7, deflate(new Uint8Array(limit + 1)));
    assert.throws(() => inflater.onReceive(beyond), /exceeds the limit \(100000 bytes\)/);
  });
});

describe("decompression", () => {
  const { random, seed } = randomFrom();
  const below = (limit: number): number => Math.floor(random() * limit);

  /** Returns bytes with repetitions, some of them of the dictionary. */
  function sample(dictionary: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    const symbols = 1 + below(256);
    for (let count = below(20); count >= 0; count--) {
      const earlier = parts[below(parts.length)];
      const from = below(dictionary.length);
      if (below(3) === 0 && earlier) parts.push(earlier);
      else if (below(2) === 0) parts.push(dictionary.subarray(from, from + below(300)));
      else parts.push(Uint8Array.from({ length: below(500) }, () => below(symbols)));
    }
    return Buffer.concat(parts);
  }

  test(`shouldAgreeWithZlib, seed ${String(seed)}`, () => {
    const inflater = new Inflater(2 ** 20);
    for (let i = 0; i < 300; i++) {
      const dictionary = below(2) ? sample(NO_DICTIONARY) : NO_DICTIONARY;
      const content = sample(dictionary);
      if (content.length === 0) continue;
      const preset = dictionary.length > 0 ? { dictionary } : {};
      const options = { level: below(10), strategy: below(5), ...preset };
      const compressed = deflate(content, options);
      assert.deepEqual(Buffer.from(inflater.inflate(compressed, dictionary)), content);
      corrupt(inflater, compressed, dictionary);
    }
  });

  /** Corrupt data has another result, or an error that explains it; it never ends the process. */
  function corrupt(
    inflater: Inflater,
    compressed: Uint8Array<ArrayBuffer>,
    dictionary: Uint8Array,
  ): void {
    const changed = compressed.slice();
    changed[below(changed.length)] = below(256);
    for (const data of [changed, compressed.slice(0, below(compressed.length))]) {
      try {
        inflater.inflate(data, dictionary);
      } catch (error) {
        assert.match(String(error), /is corrupt|exceeds the limit/);
      }
    }
  }

  test("shouldNotAllocateMoreThanTheLimit", () => {
    const content = new Uint8Array(100_000);
    const result = new Inflater(100_000).inflate(deflate(content), NO_DICTIONARY);
    assert.deepEqual([result.length, result.buffer.byteLength], [100_000, 100_000]);
  });

  test("shouldNotKeepALargeBuffer", () => {
    const inflater = new Inflater(2 ** 20);
    const buffers: ArrayBuffer[] = [];
    const inflate = (size: number): Uint8Array => {
      const result = inflater.inflate(deflate(new Uint8Array(size).fill(7)), NO_DICTIONARY);
      buffers.push(result.buffer);
      return result;
    };
    inflate(256 * 1024);
    const large = inflate(256 * 1024 + 1);
    inflate(10);
    assert.equal(buffers[0]?.byteLength, 256 * 1024);
    assert.ok(large.every((byte) => byte === 7));
    assert.equal(buffers[2]?.byteLength, 4096);
  });

  test("shouldDecompressAWholeStream", () => {
    const content = Buffer.from("a whole stream, a whole stream");
    const compressed = Uint8Array.from(deflateRawSync(content));
    assert.deepEqual(Buffer.from(new Inflater(100).inflate(compressed, NO_DICTIONARY)), content);
  });

  for (const [name, hex] of Object.entries({
    "an empty input": "",
    "a block type": "07",
    "a stored block with a wrong length": "010100ffff41",
    "a stored block without its content": "010200fdff41",
    "an incomplete code": "05c0",
  })) {
    test(`shouldRefuse ${name}`, () => {
      const data = Uint8Array.from(Buffer.from(hex, "hex"));
      assert.throws(() => new Inflater(100).inflate(data, NO_DICTIONARY), /is corrupt/);
    });
  }
});
