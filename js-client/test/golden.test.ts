import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parseBinaryMessage, widenOffset, widenTime } from "../src/engine/binary.js";
import { parseBinaryDelivery, parseDelivery } from "../src/queues/delivery.js";
import { encodePing } from "../src/transport/liveness.js";
import * as frames from "../src/engine/frames.js";
import type { JsonObject } from "../src/engine/json.js";
import type { Properties } from "../src/engine/message.js";
import { encodeBinaryPublish, encodePublish } from "../src/engine/publish-frames.js";
import type { PublishOptions } from "../src/engine/publish-options.js";
import { encodeRefresh } from "../src/engine/token-refresh.js";
import { parseNodeFrame } from "../src/engine/frames.js";
import { toSubscribeSettings, type SubscribeOptions } from "../src/engine/subscribe-options.js";

interface Content {
  readonly name: string;
  readonly topic: string;
  readonly kind: "text" | "bytes" | "json" | "removal";
  readonly payload?: string;
  readonly payloadHex?: string;
  readonly binary: string;
}

interface GoldenMessage extends Content {
  readonly pattern?: string;
  readonly channel: number;
  readonly offset: number;
  readonly id: string;
  readonly time: number;
  readonly properties?: Properties;
  readonly json: string;
}

interface GoldenDelivery extends Content {
  readonly ref: number;
  readonly tag?: number;
  readonly redelivered?: boolean | "unknown";
  readonly id: string;
  readonly time: number;
  readonly messageType?: string;
  readonly correlationId?: string;
  readonly replyTo?: unknown;
  readonly group?: string;
  readonly properties?: Properties;
  readonly json: string;
}

interface Golden {
  readonly server: readonly { readonly name: string; readonly text: string }[];
  readonly messages: readonly GoldenMessage[];
  readonly tagged: readonly {
    readonly name: string;
    readonly json: string;
    readonly binary: string;
  }[];
  readonly clientTagged: readonly { readonly name: string; readonly text: string }[];
  readonly client: readonly { readonly name: string; readonly text: string }[];
  readonly publishes: readonly { readonly name: string; readonly text: string }[];
  readonly publishesBinary: readonly (Content & {
    readonly ref: number;
    readonly members: PublishOptions & { readonly queue?: string };
  })[];
  readonly deliveries: readonly GoldenDelivery[];
  readonly queues: readonly { readonly name: string; readonly text: string }[];
  readonly clientBinary: readonly (Content & { readonly ref: number })[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/golden.json", "utf8")) as Golden;

function unhex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

function payloadOf(content: Content): unknown {
  const text = content.payload ?? "";
  if (content.kind === "json") return JSON.parse(text);
  return content.kind === "bytes" ? unhex(content.payloadHex ?? "") : text;
}

function subscribe(options: SubscribeOptions): string {
  return frames.encodeSubscribe(1, "stocks.7", toSubscribeSettings(options), false);
}

function publish(payload: string | object, options: PublishOptions = {}): string {
  return encodePublish(3, { destination: { topic: "chat.1" }, payload, options });
}

function expectedMessage(message: GoldenMessage): unknown {
  const { topic, pattern, offset, id, time, properties = {} } = message;
  const removed = message.kind === "removal";
  const kind = removed ? "text" : message.kind;
  const payload = payloadOf(message);
  const ref = undefined;
  return { ref, topic, pattern, offset, id, time, kind, properties, removed, payload };
}

/** Checks the members of a message; those of its frame may follow. */
function assertMessage(frame: frames.NodeFrame, expected: object): void {
  assert.ok(frame.type === "message");
  const { message } = frame;
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(message[name as keyof typeof message], value, name);
  }
}

describe("golden frames from the node", () => {
  for (const { name, text } of [...golden.server, ...golden.queues]) {
    test(`shouldParse ${name}`, () => {
      const frame = parseNodeFrame(text);
      const members = JSON.parse(text) as Record<string, unknown>;
      const content = frame.type === "hello" ? frame.hello : frame;
      if (frame.type === "other") {
        assert.deepEqual(frame.frame, members);
        return;
      }
      assert.equal(frame.type, members["type"]);
      for (const [member, value] of Object.entries(content)) {
        assert.deepEqual(value, members[member], member);
      }
    });
  }

  for (const message of golden.messages) {
    test(`shouldParse message ${message.name} in JSON`, () => {
      const frame = parseNodeFrame(message.json);
      assertMessage(frame, expectedMessage(message) as object);
    });

    test(`shouldParse message ${message.name} in binary`, () => {
      const parsed = parseBinaryMessage(unhex(message.binary).buffer);
      assert.ok(parsed);
      const { topic, pattern, offset, time } = message;
      const { channel, offsetLow, timeLow, ...content } = parsed;
      assert.equal(channel, message.channel);
      const whole = {
        topic,
        pattern,
        offset: widenOffset(offset - 1, offsetLow),
        time: widenTime(time + 5_000, timeLow),
        ...content,
      };
      assert.deepEqual(whole, expectedMessage(message));
    });
  }
});

describe("golden frames of tagged subscriptions", () => {
  for (const { name, json, binary } of golden.tagged) {
    const { ref } = JSON.parse(json) as { readonly ref: number };

    test(`shouldParse the ref of ${name} in binary`, () => {
      assert.equal(parseBinaryMessage(unhex(binary).buffer)?.ref, ref);
    });

    test(`shouldParse the ref of ${name} in JSON`, () => {
      const plain = golden.messages.find((message) => message.name === name);
      assert.ok(plain);
      const message = { ...(expectedMessage(plain) as object), ref };
      assertMessage(parseNodeFrame(json), message);
    });
  }

  test("shouldEncode a subscribe with a selector", () => {
    const text = golden.clientTagged.find(({ name }) => name.endsWith("with a selector"))?.text;
    const where = "region = 'EU' AND price > 100";
    assert.equal(frames.encodeSubscribe(5, "stocks.*", toSubscribeSettings({ where }), true), text);
  });

  test("shouldEncode an unsubscribe by ref", () => {
    const text = golden.clientTagged.find(({ name }) => name === "unsubscribe by ref")?.text ?? "";
    const { topic, ...frame } = JSON.parse(
      frames.encodeUnsubscribe(9, "stocks.7", 4),
    ) as JsonObject;
    assert.equal(topic, "stocks.7");
    assert.deepEqual(frame, JSON.parse(text));
  });
});

describe("golden deliveries", () => {
  const parsers = [frames.toMessageFrame, parseBinaryMessage] as const;

  for (const delivery of golden.deliveries) {
    const { ref, tag = 0, id, time, redelivered = false, properties = {}, kind } = delivery;
    const { messageType, correlationId, replyTo, group } = delivery;
    const { topic } = JSON.parse(delivery.json) as { readonly topic?: string };
    const metadata = { topic, id, time, redelivered, messageType, correlationId, replyTo, group };
    const message = { ...metadata, properties, kind, payload: payloadOf(delivery) };

    test(`shouldParse delivery ${delivery.name} in JSON`, () => {
      const parsed = parseDelivery(JSON.parse(delivery.json) as JsonObject, parsers);
      assert.deepEqual(parsed, { ref, tag, isTagLow: false, message });
    });

    test(`shouldParse delivery ${delivery.name} in binary`, () => {
      const parsed = parseBinaryDelivery(unhex(delivery.binary).buffer, time + 5_000, parsers);
      assert.deepEqual(parsed, { ref, tag: tag % 2 ** 32, isTagLow: true, message });
    });
  }
});

describe("golden frames from the client", () => {
  const written: Readonly<Record<string, string>> = {
    connect: frames.encodeConnect("s3cret", { redirect: false }, false),
    "connect that supports redirects": frames.encodeConnect("s3cret", { redirect: true }, false),
    "connect after a redirect": frames.encodeConnect("s3cret", { redirect: true }, true),
    subscribe: subscribe({}),
    "subscribe from a snapshot": subscribe({ from: "snapshot", delivery: "latest", rate: 2.5 }),
    "subscribe from the last messages": subscribe({ from: { last: 20 } }),
    "subscribe from a position": subscribe({
      from: {
        epoch: "1f0a6c2b9d3e4f58",
        offset: 57,
        ids: ["9e3779b97f4a7c15", "00000000000000ff"],
        since: 1_763_699_000_000,
        time: 1_763_700_000_000,
      },
    }),
    "subscribe from a position of a named site": subscribe({
      from: {
        epoch: "1f0a6c2b9d3e4f58.962ccbe2",
        offset: 57,
        ids: ["9e3779b97f4a7c15", "00000000000000ff"],
        since: 1_763_699_000_000,
        time: 1_763_700_000_000,
      },
    }),
    "subscribe from a position of a source with offsets": subscribe({
      from: {
        epoch: "1f0a6c2b9d3e4f58",
        offset: 4_294_967_337,
        ids: Array.from({ length: 20 }, (_, partition) => {
          return (
            partition.toString(16).padStart(4, "0") +
            (100 + partition).toString(16).padStart(12, "0")
          );
        }),
        since: 1_763_699_000_000,
      },
    }),
    unsubscribe: frames.encodeUnsubscribe(2, "stocks.7"),
    publish: publish("hello"),
    "publish bytes": publish(Uint8Array.of(0, 255, 16)),
    "publish with properties": publish("hello", { properties: { priority: 3 } }),
    "publish with a trace context": publish("hello", {
      properties: { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
    }),
    refresh: encodeRefresh(5, "s3cret2"),
    ping: encodePing(4),
  };

  for (const { name, text } of golden.client) {
    test(`shouldEncode ${name}`, () => {
      assert.equal(written[name], text);
    });
  }

  const options = {
    priority: 9,
    ttl: 60_000,
    delay: 5_000,
    persistent: false,
    messageType: "order",
    correlationId: "o-17",
    group: "ann",
    replyTo: { queue: "inbox.ann" },
    id: "7f9c",
  };
  const typed = {
    properties: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6.5, g: 7 },
    types: { a: "byte", b: "short", c: "int", d: "long", e: "float", f: "double" },
  } as const;
  const bytes = Uint8Array.of(0, 255, 16);
  const map = { text: "a", int: 7, long: 3e9, double: 1.5, flag: true, none: null, bytes };
  const stream = ["a", 7, 3e9, 1.5, false, null, bytes];
  const toQueue = (payload: string, some: PublishOptions): string =>
    encodePublish(3, { destination: { queue: "orders" }, payload, options: some });
  const publishes: Readonly<Record<string, string>> = {
    "publish to a queue": toQueue("hello", {}),
    "publish with headers": toQueue("hello", options),
    "publish with typed properties": publish("hello", typed),
    "publish a map": publish(map, { body: "map" }),
    "publish a stream": publish(stream, { body: "stream" }),
    "publish with a topic for replies": publish("hello", { replyTo: { topic: "chat.2" } }),
  };

  for (const { name, text } of golden.publishes) {
    test(`shouldEncode ${name}`, () => {
      assert.equal(publishes[name], text);
    });
  }

  for (const { members, ...content } of golden.publishesBinary) {
    test(`shouldEncode ${content.name} in binary`, () => {
      const { queue, ...rest } = members;
      const destination = queue === undefined ? { topic: content.topic } : { queue };
      const payload = payloadOf(content) as string | Uint8Array;
      const frame = encodeBinaryPublish(content.ref, { destination, payload, options: rest });
      assert.ok(frame);
      assert.equal(Buffer.from(frame).toString("hex"), content.binary);
    });
  }

  for (const content of golden.clientBinary) {
    test(`shouldEncode ${content.name} in binary`, () => {
      const payload = payloadOf(content) as string | Uint8Array;
      const destination = { topic: content.topic };
      const frame = encodeBinaryPublish(content.ref, { destination, payload, options: {} });
      assert.ok(frame);
      assert.equal(Buffer.from(frame).toString("hex"), content.binary);
    });
  }
});
