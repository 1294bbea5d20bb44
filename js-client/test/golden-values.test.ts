import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parseBinaryMessage } from "../src/engine/binary.js";
import { parseNodeFrame } from "../src/engine/frames.js";

interface GoldenValues {
  readonly strings: readonly {
    readonly name: string;
    readonly units: string;
    readonly json: string;
    readonly client: string;
  }[];
  readonly received: readonly {
    readonly type: string;
    readonly value: string;
    readonly json: string;
  }[];
  readonly times: readonly { readonly ms: string; readonly time: number }[];
  readonly expiries: readonly { readonly ms: string; readonly expires?: number }[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/values.json", "utf8")) as GoldenValues;
const SEED = Number(process.env["SLUICE_SEED"] ?? Date.now() % 2 ** 31);
const RANDOM_CASES = 2_000;

/** Returns a generator of integers below a bound: xorshift, 32 bits. */
function generator(seed: number): (bound: number) => number {
  let state = seed | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

function unitsOf(text: string): string {
  return Array.from({ length: text.length }, (_, at) =>
    text.charCodeAt(at).toString(16).padStart(4, "0"),
  ).join("");
}

/** Parses a message whose payload and property have this JSON text. */
function readText(json: string): { readonly payload: unknown; readonly property: unknown } {
  const head = `{"type":"message","topic":"a","offset":1,"id":"9e3779b97f4a7c15","time":1`;
  const members = `"properties":{"p":${json}},"encoding":"json","payload":[${json}]`;
  const frame = parseNodeFrame(`${head},${members}}`);
  assert.equal(frame.type, "message");
  const { message } = frame as { readonly message: { payload: unknown; properties: object } };
  const [payload] = message.payload as readonly unknown[];
  return { payload, property: Object.values(message.properties)[0] };
}

/** Parses a binary message with a property and a JSON payload of this JSON text. */
function readBinary(json: string): { readonly payload: unknown; readonly property: unknown } {
  const properties = Buffer.from(`{"p":${json}}`);
  const head = Buffer.alloc(22);
  head[0] = 0x61;
  head.writeUInt16BE(properties.length, 20);
  const frame = Uint8Array.from(Buffer.concat([head, properties, Buffer.from(`[${json}]`)]));
  const parsed = parseBinaryMessage(frame.buffer);
  assert.ok(parsed);
  const [payload] = parsed.payload as readonly unknown[];
  return { payload, property: Object.values(parsed.properties)[0] };
}

/** Checks that a value has arrived without loss. */
function check(type: string, value: string, read: unknown): void {
  const decimal = type === "float" || type === "double";
  if (typeof read === "string") {
    const text = type === "bytes" ? Buffer.from(read, "base64").toString("hex") : read;
    assert.equal(text, value);
  } else if (typeof read === "number" && decimal) {
    assert.ok(Object.is(read, Number(value)), `${String(read)} is not ${value}`);
  } else if (typeof read === "number") {
    assert.equal(BigInt(read), BigInt(value));
    assert.ok(Number.isSafeInteger(read));
  } else {
    assert.equal(read, value === "true");
  }
}

describe("golden texts from the node", () => {
  for (const { name, json, client } of golden.strings) {
    test(`shouldRead ${name}`, () => {
      for (const { payload, property } of [readText(json), readBinary(json)]) {
        assert.equal(unitsOf(String(payload)), client);
        assert.equal(unitsOf(String(property)), client);
        assert.equal(unitsOf(Buffer.from(String(payload)).toString()), client);
      }
    });
  }

  test(`shouldRead random texts, seed ${String(SEED)}`, () => {
    const below = generator(SEED);
    for (let i = 0; i < RANDOM_CASES; i++) {
      const parts = Array.from(
        { length: 1 + below(8) },
        () => golden.strings[below(golden.strings.length)],
      );
      const json = `"${parts.map((part) => part?.json.slice(1, -1)).join("|")}"`;
      const expected = parts.map((part) => part?.client).join(unitsOf("|"));
      assert.equal(unitsOf(String(readText(json).payload)), expected);
      assert.equal(unitsOf(String(readBinary(json).property)), expected);
    }
  });
});

describe("golden values from the node", () => {
  // A property is never null.
  for (const { type, value, json } of golden.received.filter(({ json }) => json !== "null")) {
    test(`shouldRead ${type} ${value}`, () => {
      for (const { payload, property } of [readText(json), readBinary(json)]) {
        check(type, value, payload);
        check(type, value, property);
      }
    });
  }

  test(`shouldRead random longs, seed ${String(SEED)}`, () => {
    const below = generator(SEED);
    for (let i = 0; i < RANDOM_CASES; i++) {
      const random = (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32));
      const value = BigInt.asIntN(64, random) >> BigInt(below(64));
      const digits = value.toString();
      const json = Number.isSafeInteger(Number(value)) ? digits : `"${digits}"`;
      check("long", digits, readText(json).property);
      check("long", digits, readBinary(json).payload);
    }
  });

  test("shouldRead every time as a Date", () => {
    for (const { time } of golden.times) assert.ok(!Number.isNaN(new Date(time).getTime()));
    for (const { expires } of golden.expiries) {
      assert.ok(expires === undefined || !Number.isNaN(new Date(expires).getTime()));
    }
  });
});
