import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FrameReader } from "../src/transport/http-frames.js";
import { closeFrame, frame } from "./scripted-gateway.js";

type Received = string | readonly number[];

function reader(received: Received[]): FrameReader {
  return new FrameReader({
    onText: (text) => received.push(text),
    onBinary: (bytes) => received.push([...new Uint8Array(bytes)]),
    onPing: () => received.push("ping"),
  });
}

describe("stream frames", () => {
  const bytes = Buffer.concat([
    frame(0x1, Buffer.from("é €")),
    frame(0x9, Buffer.from("sign")),
    frame(0x2, Buffer.from([1, 2, 3])),
    frame(0x2, Buffer.alloc(0)),
    frame(0xa, Buffer.alloc(0)),
    frame(0x1, Buffer.from("x".repeat(126))),
    closeFrame(4101, "enough"),
  ]);
  const all = ["é €", "ping", [1, 2, 3], [], "x".repeat(126)];
  const end = { code: 4101, reason: "enough" };

  test("shouldBeParsedAtAnySplitPoint", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const received: Received[] = [];
      const frames = reader(received);
      const ends = [frames.push(bytes.subarray(0, at)), frames.push(bytes.subarray(at))];
      assert.deepEqual(received, all, `cut at ${String(at)}`);
      assert.deepEqual(ends.find(Boolean), end);
    }
  });

  test("shouldBeParsedByteByByte", () => {
    const received: Received[] = [];
    const frames = reader(received);
    const ends = [...bytes].map((byte) => frames.push(Uint8Array.of(byte)));
    assert.deepEqual(received, all);
    assert.deepEqual(ends.at(-1), end);
    assert.equal(ends.filter(Boolean).length, 1);
  });

  test("shouldHaveAnyLength", () => {
    for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]) {
      const lengths: number[] = [];
      const frames = new FrameReader({
        onText: () => assert.fail(),
        onBinary: (payload) => lengths.push(payload.byteLength),
        onPing: () => assert.fail(),
      });
      frames.push(frame(0x2, Buffer.alloc(length)));
      assert.deepEqual(lengths, [length]);
    }
  });

  test("shouldEndWithTheCodeOfTheCloseFrame", () => {
    assert.deepEqual(reader([]).push(closeFrame(1000)), { code: 1000, reason: "" });
    assert.deepEqual(reader([]).push(frame(0x8, Buffer.alloc(0))), { code: 1005, reason: "" });
  });

  const wrong: readonly (readonly [string, Buffer])[] = [
    ["a page of a proxy", Buffer.from("<!DOCTYPE html>")],
    ["a fragment", Buffer.from([0x01, 0x00])],
    ["compressed data", Buffer.from([0xc1, 0x00])],
    ["a masked frame", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0])],
    ["an unknown opcode", frame(0x3, Buffer.from("?"))],
    ["text that is not UTF-8", frame(0x1, Buffer.from([0xff]))],
    ["a long ping", frame(0x9, Buffer.alloc(126))],
    ["a frame that no memory holds", Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0])],
    ["a frame with a negative length", Buffer.from([0x82, 127, 255, 0, 0, 0, 0, 0, 0, 0])],
  ];

  for (const [what, piece] of wrong) {
    test(`shouldNotBe ${what}`, () => {
      assert.throws(() => reader([]).push(piece));
    });
  }
});
