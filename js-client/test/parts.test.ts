import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { backoff } from "../src/transport/backoff.js";
import { fromBase64 } from "../src/engine/base64.js";
import { toBase64 } from "../src/engine/publish-frames.js";
import {
  parseBinaryMessage,
  widenOffset,
  widenReplayedOffset,
  widenTime,
} from "../src/engine/binary.js";
import { ClockEstimate, systemClock } from "../src/engine/clock.js";
import { isFinal } from "../src/transport/close-codes.js";
import { Emitter } from "../src/engine/emitter.js";
import { SluiceError, toSluiceError } from "../src/engine/errors.js";
import { parseNodeFrame, type Hello } from "../src/engine/frames.js";
import { initialState, transition, type ConnectionState } from "../src/engine/state.js";
import { toPublication } from "../src/engine/publish-options.js";
import { checkTopicOrPattern } from "../src/engine/arguments.js";
import { VERSION } from "../src/engine/version.js";
import { isSluiceError, randomFrom } from "./support.js";

function fail(thrown: unknown): never {
  assert.fail(String(thrown));
}

describe("version", () => {
  test("shouldMatchThePackageVersion", () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    assert.equal(VERSION, manifest.version);
  });
});

describe("backoff", () => {
  test("shouldSpreadAThousandReconnectsOverTheWholeDelay", () => {
    const { random, seed } = randomFrom();
    const tenths = new Array<number>(10).fill(0);
    for (let client = 0; client < 1_000; client++) {
      const tenth = Math.floor(backoff(0, { min: 500, max: 30_000 }, random) / 50);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    const isSpread = tenths.every((count) => count > 40 && count < 160);
    assert.ok(isSpread, `${tenths.join(" ")} (seed ${String(seed)})`);
  });

  const bounds = { min: 100, max: 1_000 };

  test("shouldDoubleItsBoundUpToTheMaximum", () => {
    const waits = [0, 1, 2, 3, 4, 5, 2_000].map((failures) => backoff(failures, bounds, () => 1));
    assert.deepEqual(waits, [100, 100, 200, 400, 800, 1_000, 1_000]);
  });

  test("shouldUseTheWholeRange", () => {
    assert.equal(
      backoff(3, bounds, () => 0),
      0,
    );
    assert.equal(
      backoff(3, bounds, () => 0.5),
      200,
    );
  });
});

describe("close codes", () => {
  const codes = [
    1000, 1006, 1013, 3000, 4101, 4199, 4200, 4201, 4202, 4203, 4204, 4205, 4206, 4300,
  ];

  test("shouldForbidAnotherAttemptAfterCodesOfRefusals", () => {
    assert.deepEqual(codes.filter(isFinal), [4200, 4201, 4203, 4204, 4205]);
  });
});

describe("widening", () => {
  test("shouldTakeTheSmallestOffsetAboveThePrevious", () => {
    assert.equal(widenOffset(0, 1), 1);
    assert.equal(widenOffset(41, 42), 42);
    assert.equal(widenOffset(2 ** 32 - 1, 0), 2 ** 32);
    assert.equal(widenOffset(2 ** 32 - 1, 5), 2 ** 32 + 5);
    assert.equal(widenOffset(7, 7), 2 ** 32 + 7);
    assert.equal(widenOffset(3 * 2 ** 32 + 9, 8), 4 * 2 ** 32 + 8);
  });

  test("shouldTakeTheLargestReplayedOffsetNotAboveTheLast", () => {
    assert.equal(widenReplayedOffset(41, 39), 39);
    assert.equal(widenReplayedOffset(41, 41), 41);
    assert.equal(widenReplayedOffset(2 ** 32, 0), 2 ** 32);
    assert.equal(widenReplayedOffset(2 ** 32 + 5, 2 ** 32 - 1), 2 ** 32 - 1);
    assert.equal(widenReplayedOffset(3 * 2 ** 32 + 9, 10), 2 * 2 ** 32 + 10);
  });

  test("shouldTakeTheTimeNearestToNow", () => {
    const now = 1_763_700_000_000;
    for (const time of [
      now,
      now - 86_400_000,
      now + 86_400_000,
      now - 2 ** 31 + 1,
      now + 2 ** 31,
    ]) {
      assert.equal(widenTime(now + 0.25, time % 2 ** 32), time);
    }
  });

  test("shouldTakeTheTimeNearestToNowAcrossAWrap", () => {
    const wrap = 411 * 2 ** 32;
    assert.equal(widenTime(wrap + 3, 2 ** 32 - 1), wrap - 1);
    assert.equal(widenTime(wrap - 3, 1), wrap + 1);
  });
});

/** Parses a frame like a link. */
function parsed(text: string): unknown {
  try {
    return parseNodeFrame(text);
  } catch (thrown) {
    throw toSluiceError(thrown);
  }
}

describe("invalid frames", () => {
  const bad = ["", "[]", "null", "7", "{", "{}", '{"type":7}'];

  // Frames of known types; the client handles what they belong to.
  const unreadable = [
    '{"type":"hello"}',
    '{"type":"pong","time":"now"}',
    '{"type":"subscribed","ref":-1,"topic":"a","epoch":"e","offset":1}',
    '{"type":"subscribed","topic":"a","epoch":"e","offset":1.5}',
    '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"payload":7}',
    '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"encoding":"base64","payload":"?"}',
    '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"encoding":"rot13","payload":"n"}',
    '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"encoding":"json"}',
    '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"payload":"","properties":{"p":[]}}',
    '{"type":"message","topic":"a","offset":1,"id":"x","time":1,"payload":""}',
    '{"type":"subscribed","topic":"a","epoch":"e","offset":1,"recovered":"yes"}',
    '{"type":"gap","topic":"a","reason":"overload","offset":1}',
    '{"type":"gap","topic":"a","reason":"overload","time":1}',
    '{"type":"caught-up"}',
  ];

  for (const text of bad) {
    test(`shouldRefuse ${text}`, () => {
      assert.throws(() => parsed(text), isSluiceError("bad-answer"));
    });
  }

  for (const text of unreadable) {
    test(`shouldReport ${text}`, () => {
      const frame = parseNodeFrame(text);
      const isMessage = frame.type === "message" && frame.message.error instanceof Error;
      assert.ok(isMessage || (frame.type === "error" && frame.code === "bad-answer"));
    });
  }

  test("shouldNameTheInvalidMember", () => {
    const message = { topic: "a", offset: 1, id: "00000000000000ff", time: 1, payload: 7 };
    const hello = { node: "a", version: "1", time: 1, broker: "up", pingInterval: 1, limits: {} };
    const subscribed = { type: "subscribed", topic: "a", epoch: "b", offset: 1 };
    const frames: readonly (readonly [string, object])[] = [
      ["offset of gap must be a whole number", { type: "gap", topic: "a", reason: "overload" }],
      ["payload of message must be a string", { type: "message", ...message }],
      ["overlap of limits must be a whole number", { type: "hello", ...hello }],
      ["ids of subscribed must be a list of ids", { ...subscribed, ids: ["7"] }],
      ["ids of subscribed must be a list of ids", { ...subscribed, ids: {} }],
    ];
    for (const [text, content] of frames) {
      const frame = parseNodeFrame(JSON.stringify(content));
      const error = frame.type === "message" ? (frame.message.error as Error) : frame;
      assert.equal((error as Error).message, `invalid frame: ${text}`);
    }
  });

  test("shouldIgnoreAnUnknownType", () => {
    const frame = { type: "confetti", amount: 7 };
    assert.deepEqual(parseNodeFrame(JSON.stringify(frame)), { type: "other", frame });
  });

  test("shouldIgnoreAnUnknownMember", () => {
    assert.equal(parseNodeFrame('{"type":"stale","since":7}').type, "stale");
  });

  test("shouldKeepAPropertyOfAnyName", () => {
    const frame = parseNodeFrame(
      '{"type":"message","topic":"a","offset":1,"id":"00000000000000ff","time":1,"payload":"","properties":{"__proto__":1}}',
    );
    assert.ok(frame.type === "message");
    assert.deepEqual(Object.entries(frame.message.properties), [["__proto__", 1]]);
  });

  test("shouldSurviveAnyBinaryFrame", () => {
    const { random, seed } = randomFrom();
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256);
      if (random() < 0.7 && bytes.length > 0) bytes[0] = 0x01 | (Math.floor(random() * 8) << 4);
      try {
        parseBinaryMessage(bytes.buffer);
      } catch (thrown) {
        const isFrames = [SluiceError, RangeError, SyntaxError].some(
          (type) => thrown instanceof type,
        );
        assert.ok(isFrames, `seed ${String(seed)}: ${String(thrown)}`);
      }
    }
  });

  test("shouldIgnoreABinaryFrameOfAnUnknownType", () => {
    assert.equal(parseBinaryMessage(Uint8Array.of(0x03, 1, 2).buffer), undefined);
    assert.equal(parseBinaryMessage(Uint8Array.of(0x83, 1, 2).buffer), undefined);
  });
});

describe("base64", () => {
  test("shouldRoundTrip", () => {
    const { random, seed } = randomFrom();
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, () => random() * 256);
      assert.deepEqual(fromBase64(toBase64(bytes)), bytes, `seed ${String(seed)}`);
      assert.equal(toBase64(bytes), Buffer.from(bytes).toString("base64"));
    }
  });
});

describe("topics", () => {
  const topics = ["a", "stocks.7", "a.b.c", "Größe.ü", "-._", "a:b"];
  const patterns = ["*", ">", "stocks.*", "stocks.>", "*.7", "*.*.>"];
  const neither = ["", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\u0000", "a*", "a.>.b", "a/b"];
  const alsoNeither = ["a\\b", "a#", "#", "a\u00a0b", "\u2028", ">>", "**", "a.b>"];

  test("shouldAcceptTopics", () => {
    for (const topic of topics) {
      toPublication({ topic }, "");
      checkTopicOrPattern(topic);
    }
  });

  test("shouldAcceptPatternsOnlyForSubscriptions", () => {
    for (const pattern of patterns) {
      checkTopicOrPattern(pattern);
      assert.throws(() => {
        toPublication({ topic: pattern }, "");
      }, isSluiceError("invalid-argument"));
    }
  });

  for (const topic of [...neither, ...alsoNeither]) {
    test(`shouldRefuse ${JSON.stringify(topic)}`, () => {
      assert.throws(() => {
        checkTopicOrPattern(topic);
      }, isSluiceError("invalid-argument"));
    });
  }
});

describe("emitter", () => {
  test("shouldCallOtherListenersWhenOneThrows", () => {
    const thrown: unknown[] = [];
    const received: number[] = [];
    const emitter = new Emitter<{ n: number }>((error) => thrown.push(error));
    const n = (): void => {
      throw new Error("mine");
    };
    emitter.add({ n });
    emitter.add({ n: (event) => received.push(event) });
    assert.equal(emitter.emit("n", 3), true);
    assert.deepEqual(received, [3]);
    assert.equal(thrown.length, 1);
  });

  test("shouldNotCallAListenerRemovedDuringTheEvent", () => {
    const emitter = new Emitter<{ n: number }>(fail);
    emitter.add({
      n: () => {
        undo();
      },
    });
    const undo = emitter.add({ n: () => assert.fail("taken back") });
    emitter.emit("n", 1);
    emitter.emit("n", 2);
  });

  test("shouldTreatTheSameListenersTwiceAsTwo", () => {
    let calls = 0;
    const emitter = new Emitter<{ n: number }>(fail);
    const listeners = { n: (): number => calls++ };
    const undo = emitter.add(listeners);
    emitter.add(listeners);
    undo();
    undo();
    emitter.emit("n", 1);
    assert.equal(calls, 1);
    assert.equal(emitter.size, 1);
  });

  test("shouldReportThatThereIsNoListener", () => {
    const emitter = new Emitter<{ n: number; m: number }>(fail);
    emitter.add({ m: fail });
    assert.equal(emitter.emit("n", 1), false);
  });
});

describe("clock estimate", () => {
  test("shouldUseTheSampleWithTheShortestRoundTrip", () => {
    const estimate = new ClockEstimate({ ...systemClock, now: () => 10_000 });
    assert.equal(estimate.best(), undefined);
    estimate.add(1_000, 1_400, 6_390);
    estimate.add(2_000, 2_010, 7_005);
    estimate.add(3_000, 3_100, 8_090);
    assert.deepEqual(estimate.best(), { offset: 5_000, uncertainty: 6 });
    assert.equal(estimate.now(), 15_000);
    assert.equal(estimate.uncertainty, 6);
  });
});

describe("connection state", () => {
  const hello: Hello = {
    node: "n",
    version: "0",
    session: "n-1",
    subject: undefined,
    expires: undefined,
    time: 1,
    broker: "up",
    identity: undefined,
    pingInterval: 1,
    limits: {
      messageBytes: 1,
      subscriptions: 1,
      topicLength: 1,
      topicDepth: 1,
      publishRate: 1,
      overlap: 1,
    },
    features: undefined,
  };
  const end = { code: 1006, reason: "" };
  const open: ConnectionState = { status: "open", hello };
  const stale: ConnectionState = { status: "stale", hello };

  test("shouldPassThroughAllStates", () => {
    let state = transition(initialState, { type: "hello", hello });
    assert.equal(state.status, "open");
    state = transition(state, { type: "stale" });
    assert.equal(state.status, "stale");
    state = transition(state, { type: "live" });
    assert.equal(state.status, "open");
    state = transition(state, { type: "draining", deadline: 9 });
    assert.deepEqual(state, { status: "draining", hello, deadline: 9 });
    state = transition(state, { type: "lost", failures: 1, retryAt: 5, end });
    assert.deepEqual(state, { status: "connecting", failures: 1, retryAt: 5, lastEnd: end });
    state = transition(state, { type: "dialled" });
    assert.deepEqual(state, {
      status: "connecting",
      failures: 1,
      retryAt: undefined,
      lastEnd: end,
    });
    state = transition(state, { type: "closed", error: undefined });
    assert.equal(state.status, "closed");
  });

  test("shouldNameTheLostSources", () => {
    const sources = ["kafka"];
    const some = transition(open, { type: "stale", sources });
    assert.deepEqual(some, { status: "stale", sources, hello });
    const more = transition(some, { type: "stale", sources: ["kafka", "jms"] });
    assert.deepEqual(more, { status: "stale", sources: ["kafka", "jms"], hello });
    assert.deepEqual(transition(more, { type: "live" }), open);
  });

  test("shouldOpenStaleWhenTheBrokerIsDown", () => {
    const down: Hello = { ...hello, broker: "down" };
    assert.equal(transition(initialState, { type: "hello", hello: down }).status, "stale");
  });

  test("shouldIgnoreEventsThatDoNotApply", () => {
    const closed: ConnectionState = { status: "closed", error: undefined };
    assert.equal(transition(closed, { type: "hello", hello }), closed);
    assert.equal(transition(closed, { type: "lost", failures: 1, retryAt: 1, end }), closed);
    assert.equal(transition(open, { type: "live" }), open);
    assert.equal(transition(open, { type: "dialled" }), open);
    assert.equal(transition(stale, { type: "stale" }), stale);
    assert.equal(transition(initialState, { type: "stale" }), initialState);
    assert.equal(transition(initialState, { type: "draining", deadline: 1 }), initialState);
  });
});
