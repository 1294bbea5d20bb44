import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import type { SluiceClient } from "../src/engine/client.js";
import { Histogram } from "../src/engine/histogram.js";
import { measureLatency } from "../src/latency.js";
import { toMessage, type Message } from "../src/engine/message.js";
import type { SubscriptionObserver } from "../src/engine/observer.js";
import { watchStalls } from "../src/stall.js";
import { HandClock } from "./hand-clock.js";
import { isSluiceError, randomFrom } from "./support.js";

describe("histogram", () => {
  test("shouldBeAccurateToOneEighth", () => {
    const { random, seed } = randomFrom();
    for (let round = 0; round < 100; round++) {
      const histogram = new Histogram();
      const scale = 2 ** (random() * 31);
      const values = Array.from({ length: 1 + Math.floor(random() * 300) }, () =>
        Math.round(random() * scale),
      ).sort((a, b) => a - b);
      for (const value of values) histogram.add(value);
      for (const percent of [1, 50, 95, 99, 100]) {
        const exact = values[Math.ceil((values.length * percent) / 100) - 1] ?? 0;
        const reported = histogram.percentile(percent);
        const isTrue = reported >= exact && reported <= exact + exact / 8;
        assert.ok(isTrue, `seed ${String(seed)}: ${String(reported)} for ${String(exact)}`);
      }
      assert.equal(histogram.max, values.at(-1));
      assert.equal(histogram.count, values.length);
    }
  });

  test("shouldAcceptAnyNumber", () => {
    const histogram = new Histogram();
    for (const value of [-1, 0, 15, 16, 17, 2 ** 31, 2 ** 32, 2 ** 40, Infinity]) {
      histogram.add(value);
    }
    assert.equal(histogram.count, 9);
    assert.equal(histogram.max, 2 ** 32 - 1);
    assert.equal(histogram.percentile(100), 2 ** 32 - 1);
  });

  test("shouldReportNothingWithoutValues", () => {
    const histogram = new Histogram();
    assert.equal(histogram.percentile(50), 0);
    histogram.add(7);
    histogram.clear();
    assert.deepEqual([histogram.count, histogram.max, histogram.percentile(99)], [0, 0, 0]);
  });
});

describe("latency", () => {
  const clock = { now: () => 10_000, uncertainty: 3 };

  function message(age: number, replayed = false): Message {
    const sent = {
      topic: "a",
      pattern: undefined,
      offset: 1,
      id: "00000000000000ff",
      time: 10_000 - age,
      properties: {},
      removed: false,
      kind: "text" as const,
      payload: "",
    };
    return toMessage(clock, sent, { replayed, gapBefore: undefined });
  }

  test("shouldMeasureLiveMessagesAndForwardAll", () => {
    let received = 0;
    const observer = measureLatency(() => received++);
    for (const age of [1, 2, 3, 100]) observer.onMessage(message(age));
    observer.onMessage(message(100_000, true));
    const { count, p50, p95, p99, max } = observer.latency;
    assert.deepEqual(
      { count, p50, p95, p99, max },
      { count: 4, p50: 2, p95: 100, p99: 100, max: 100 },
    );
    assert.equal(received, 5);
    observer.latency.reset();
    assert.equal(observer.latency.count, 0);
  });

  test("shouldKeepTheOtherCallbacks", () => {
    const onGap = (): undefined => undefined;
    const observer = measureLatency({ onMessage: () => undefined, onGap });
    assert.equal(typeof observer.onGap, "function");
    assert.equal(observer.onError, undefined);
  });
});

describe("stalls", () => {
  /** Returns a stub of the client with the members that are used. */
  function scene(signal?: AbortSignal) {
    const clock = new HandClock();
    const reported: unknown[] = [];
    const state = { status: "open" };
    const subscriptionState = { status: "live" };
    let observer: SubscriptionObserver | undefined;
    let onClientState: (() => void) | undefined;
    const client = {
      state,
      subscribe: (_: string, given: SubscriptionObserver) => {
        observer = given;
        return { unsubscribe: () => reported.push("unsubscribed"), state: subscriptionState };
      },
      on: (_: string, listener: () => void) => {
        onClientState = listener;
        return () => undefined;
      },
    } as unknown as SluiceClient;
    const undo = watchStalls(client, "a", {
      clock,
      stallAfter: 1_000,
      onStall: ({ sinceMs }) => reported.push(sinceMs),
      onMove: () => reported.push("moves"),
      signal,
    });
    return {
      client,
      clock,
      reported,
      undo,
      message: (replayed = false) => observer?.onMessage({ replayed } as Message),
      become: (status: string) => {
        state.status = status;
        onClientState?.();
      },
      subscriptionBecomes: (status: string) => {
        subscriptionState.status = status;
        observer?.onState?.(subscriptionState as never);
      },
    };
  }

  test("shouldReportAStallOnceAndItsEnd", () => {
    const { clock, reported, message } = scene();
    clock.pass(900);
    message();
    clock.pass(999);
    assert.deepEqual(reported, []);
    clock.pass(10_000);
    assert.deepEqual(reported, [1_000]);
    message();
    message();
    clock.pass(1_000);
    assert.deepEqual(reported, [1_000, "moves", 1_000]);
  });

  test("shouldNotCountReplayedMessages", () => {
    const { clock, reported, message } = scene();
    clock.pass(500);
    message(true);
    clock.pass(500);
    assert.deepEqual(reported, [1_000]);
  });

  test("shouldReportNoStallWhileDisconnectedOrStale", () => {
    for (const status of ["connecting", "stale"]) {
      const { clock, reported, become } = scene();
      clock.pass(500);
      become(status);
      clock.pass(5_000);
      assert.deepEqual(reported, []);
      become("open");
      clock.pass(999);
      assert.deepEqual(reported, []);
      clock.pass(1);
      assert.deepEqual(reported, [1_000]);
    }
  });

  test("shouldReportNoStallOfAPendingSubscription", () => {
    const { clock, reported, subscriptionBecomes } = scene();
    subscriptionBecomes("refused");
    clock.pass(5_000);
    assert.deepEqual(reported, []);
    subscriptionBecomes("gap");
    clock.pass(1_000);
    assert.deepEqual(reported, [1_000]);
  });

  test("shouldLeaveNoTimerBehind", () => {
    const { clock, reported, undo } = scene();
    undo.unsubscribe();
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(reported, ["unsubscribed"]);
  });

  test("shouldEndBySignalAndRemoveItsListener", () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { undo } = scene(signal);
    undo.unsubscribe();
    assert.equal(getEventListeners(signal, "abort").length, 0);
    const { clock, reported } = scene(signal);
    controller.abort();
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(reported, ["unsubscribed"]);
  });

  test("shouldWatchNothingIfTheSignalWasAbortedBefore", () => {
    const { clock, reported } = scene(AbortSignal.abort());
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(reported, ["unsubscribed"]);
  });

  test("shouldRejectInvalidArguments", () => {
    const onStall = (): undefined => undefined;
    const wrong = [
      { stallAfter: 0, onStall },
      { stallAfter: 1.5, onStall },
      { stallAfter: 1, onStall: 7 as never },
      { stallAfter: 1, onStall, onMove: 7 as never },
    ];
    for (const options of wrong) {
      const call = (): unknown => watchStalls(scene().client, "a", options);
      assert.throws(call, isSluiceError("invalid-argument"));
    }
  });
});
