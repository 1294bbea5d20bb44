import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { encodePublish } from "../src/engine/publish-frames.js";
import {
  toPublication,
  type PropertyType,
  type PublishOptions,
} from "../src/engine/publish-options.js";
import { isSluiceError } from "./support.js";

interface GoldenValues {
  readonly strings: readonly { readonly name: string; readonly units: string }[];
  readonly topics: readonly { readonly units: string; readonly valid: boolean }[];
  readonly publishedProperties: readonly {
    readonly name: string;
    readonly property: string;
    readonly type?: PropertyType;
  }[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/values.json", "utf8")) as GoldenValues;
const INVALID = isSluiceError("invalid-argument");

function textOf(units: string): string {
  const codes = (units.match(/.{4}/g) ?? []).map((unit) => parseInt(unit, 16));
  return String.fromCharCode(...codes);
}

/** Publishes to the topic `a`; returns the parsed frame. */
function publish(payload: unknown, options: PublishOptions = {}): Record<string, unknown> {
  const frame = encodePublish(1, toPublication({ topic: "a" }, payload, options));
  return JSON.parse(frame) as Record<string, unknown>;
}

/** Each place of a publish that can contain this text. */
function places(text: string): readonly (() => unknown)[] {
  return [
    () => publish(text)["payload"],
    () => (publish("", { properties: { p: text } })["properties"] as { p: unknown }).p,
    () => (publish({ e: text }, { body: "map" })["payload"] as { e: unknown }).e,
    () => (publish([text], { body: "stream" })["payload"] as unknown[])[0],
    () => publish("", { messageType: text })["messageType"],
    () => publish("", { correlationId: text })["correlationId"],
  ];
}

describe("golden values for publishing", () => {
  for (const { name, units } of golden.strings) {
    const text = textOf(units);
    const isUnicode = Buffer.from(text).toString() === text;
    test(`should${isUnicode ? "Publish" : "Refuse"} ${name}`, () => {
      for (const place of places(text)) {
        if (isUnicode) assert.equal(place(), text);
        else assert.throws(place, INVALID);
      }
    });
  }

  for (const { units, valid } of golden.topics) {
    test(`should${valid ? "Accept" : "Refuse"} the topic ${JSON.stringify(textOf(units))}`, () => {
      const create = (): unknown => toPublication({ topic: textOf(units) }, "");
      if (valid) create();
      else assert.throws(create, INVALID);
    });
  }

  for (const { name, property, type } of golden.publishedProperties) {
    const value = JSON.parse(property) as string | number | null;
    const isValue =
      typeof value === "number" ? Number.isFinite(value) : value !== null && !/\p{Cs}/u.test(value);
    test(`should${isValue ? "Publish" : "Refuse"} the property ${name}`, () => {
      const options = {
        properties: { p: value as number },
        ...(type ? { types: { p: type } } : {}),
      };
      if (!isValue) {
        assert.throws(() => publish("", options), INVALID);
        return;
      }
      const { properties, types } = publish("", options);
      assert.deepEqual(properties, { p: Object.is(value, -0) ? 0 : value });
      assert.deepEqual(types, options.types);
    });
  }

  test("shouldExplainABigint", () => {
    const long = 9_007_199_254_740_993n as unknown as number;
    assert.throws(() => publish("", { properties: { p: long } }), {
      code: "invalid-argument",
      message:
        /^property p must be .*; a bigint is published as String\(value\) with the type "long"/,
    });
    assert.throws(() => publish({ e: long }, { body: "map" }), INVALID);
  });
});
