import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BlobReads } from "../src/engine/blob-reads.js";
import { toContent } from "../src/engine/content.js";
import type { PublishPayload } from "../src/index.js";
import { createTestBroker } from "../src/testing.js";
import { isSluiceError } from "./support.js";

const BYTES = new Uint8Array([1, 2, 3, 255]);

/** Values that `JSON.stringify` writes as something else, or not at all. */
const LOST: Readonly<Record<string, unknown>> = {
  "a Map": new Map([["a", 1]]),
  "a Set": new Set([1]),
  "a Promise": Promise.resolve(1),
  "an Error": new Error("e"),
  "a RegExp": /a/u,
  "a function": () => 1,
  "a symbol": Symbol("s"),
  "a bigint": 9_007_199_254_740_993n,
  NaN,
  infinity: -Infinity,
};

describe("content of publishes", () => {
  for (const [name, value] of Object.entries(LOST)) {
    const isFunction = typeof value === "function";
    test(`shouldRefuse ${name}`, () => {
      if (!isFunction)
        assert.throws(
          () => toContent(value, {}),
          /payload must be a JSON value|cannot be encoded/u,
        );
      assert.throws(() => toContent({ deep: [{ e: value }] }, {}), {
        code: "invalid-argument",
        message: /^payload\.e must be a JSON value, not /u,
      });
    });
  }

  for (const [name, value] of Object.entries({
    "an ArrayBuffer": BYTES.buffer,
    "a view of 16-bit numbers": new Uint16Array(BYTES.buffer),
    "a DataView": new DataView(BYTES.buffer),
    bytes: BYTES,
  })) {
    test(`shouldPublish ${name} as bytes, and refuse it as a member`, () => {
      assert.deepEqual(toContent(value, {}), BYTES);
      assert.throws(() => toContent({ e: value }, {}), isSluiceError("invalid-argument"));
    });
  }

  test("shouldPublishAPartOfABuffer", () => {
    assert.deepEqual(toContent(new DataView(BYTES.buffer, 1, 2), {}), BYTES.subarray(1, 3));
  });

  test("shouldRefuseABlobAsAMember", () => {
    assert.throws(() => toContent({ e: new Blob([BYTES]) }, {}), isSluiceError("invalid-argument"));
  });

  test("shouldNameACycle", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    assert.throws(() => toContent(circle, {}), {
      code: "invalid-argument",
      message: /^payload cannot be encoded as JSON: TypeError: /u,
    });
  });

  test("shouldPublishWhatJsonRepresents", () => {
    const time = new Date(0);
    const value = { time, none: undefined, nothing: null, list: [], empty: {} };
    assert.equal(
      toContent(value, {}),
      '{"time":"1970-01-01T00:00:00.000Z","nothing":null,"list":[],"empty":{}}',
    );
  });

  test("shouldPublishBlobsInTheOrderOfTheCalls", async () => {
    const broker = createTestBroker();
    const client = broker.node().connect();
    const received: unknown[] = [];
    client.subscribe("a", ({ payload }: { readonly payload: unknown }) => {
      received.push(payload);
    });
    const payloads: readonly PublishPayload[] = [new Blob([BYTES]), "second", new Blob(["x"]), "4"];
    await Promise.all(payloads.map((payload) => client.publish("a", payload)));
    assert.deepEqual(received, [BYTES, "second", new TextEncoder().encode("x"), "4"]);
    broker.close();
  });

  test("shouldRefuseABlobThatCannotBeRead", async () => {
    const blob = new Blob(["x"]);
    blob.arrayBuffer = () => Promise.reject(new Error("the file is gone"));
    const reads = new BlobReads();
    const failed = reads.read(blob);
    const behind = reads.read("behind");
    await assert.rejects(failed ?? Promise.resolve(), isSluiceError("invalid-argument"));
    assert.equal(await behind, "behind");
    assert.equal(reads.read("later"), undefined);
  });
});
