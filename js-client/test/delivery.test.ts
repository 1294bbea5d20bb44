import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Message, PayloadKind, Client, SluiceError, SubscriptionState } from "../src/index.js";
import { openClient } from "./open-client.js";
import type { ScriptedNode, ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("delivery", { timeout: 300_000 }, () => {
  let node: ScriptedNode;
  let client: Client;
  let session: ScriptedSession;
  let errors: SluiceError[];
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ node, client, session, errors, stop } = await openClient());
  });

  afterEach(() => stop());

  describe("payloads", () => {
    const cases: readonly (readonly [
      string,
      PayloadKind,
      string,
      Readonly<Record<string, unknown>>,
      unknown,
    ])[] = [
      ["text", "text", "price €", {}, "price €"],
      ["text", "json", '{"price":7}', {}, { price: 7 }],
      ["text", "bytes", "€", {}, Uint8Array.of(0xe2, 0x82, 0xac)],
      ["bytes", "text", "4oKs", { encoding: "base64" }, "€"],
      ["bytes", "json", "WzFd", { encoding: "base64" }, [1]],
      ["bytes", "bytes", "AP8=", { encoding: "base64" }, Uint8Array.of(0, 255)],
      ["json", "text", "", { payload: { a: 1 }, encoding: "json" }, '{"a":1}'],
      ["json", "json", "", { payload: { a: 1 }, encoding: "json" }, { a: 1 }],
      ["json", "bytes", "", { payload: [7], encoding: "json" }, Uint8Array.of(91, 55, 93)],
    ];

    for (const [from, to, sent, members, expected] of cases) {
      test(`shouldMake ${to} of ${from}`, async () => {
        const messages: Message[] = [];
        client.subscribe("a", (message) => messages.push(message), { payload: to });
        await session.subscribed();
        session.message("a", 1, sent, members);
        await until("a message", () => messages.length === 1);
        assert.equal(messages[0]?.kind, to);
        assert.deepEqual(messages[0].payload, expected);
        assert.equal(messages[0].topic, "a");
      });
    }

    test("shouldConvertPayloadsForEachObserver", async () => {
      const prices: number[] = [];
      const texts: string[] = [];
      const onJson = ({ payload }: Message<"json">): void => {
        prices.push((payload as { price: number }).price);
      };
      client.subscribe("a", onJson, { payload: "json" });
      client.subscribe("a", { onMessage: (m) => texts.push(m.payload) }, { payload: "text" });
      await session.subscribed();
      session.message("a", 1, '{"price":7}');
      await until("both received", () => prices.length === 1 && texts.length === 1);
      assert.deepEqual([prices, texts], [[7], ['{"price":7}']]);
    });

    test("shouldDeliverARemovalWithoutAPayload", async () => {
      const received: unknown[] = [];
      for (const payload of ["text", "json", "bytes"] as const) {
        const onMessage = (message: Message): number =>
          received.push([message.removed, message.kind, message.payload]);
        client.subscribe("a", onMessage, { payload });
      }
      await session.subscribed();
      session.message("a", 1, "", { removed: true });
      await until("all", () => received.length === 3);
      assert.deepEqual(received, [
        [true, "text", ""],
        [true, "json", null],
        [true, "bytes", new Uint8Array()],
      ]);
    });

    test("shouldReportAConversionErrorAndContinue", async () => {
      const received: unknown[] = [];
      const onError = ({ code, message, cause }: SluiceError): void => {
        received.push([code, message, (cause as Error).name]);
      };
      const onMessage = ({ payload }: Message<"json">): number => received.push(payload);
      client.subscribe("a", { onMessage, onError }, { payload: "json" });
      await session.subscribed();
      session.message("a", 1, "{");
      session.message("a", 2, "/w==", { encoding: "base64" });
      session.message("a", 3, "3");
      await until("all", () => received.length === 3);
      assert.deepEqual(received, [
        ["bad-payload", "cannot convert a text payload to json", "SyntaxError"],
        ["bad-payload", "cannot convert a bytes payload to json", "TypeError"],
        3,
      ]);
      assert.deepEqual(errors, []);
    });
  });

  describe("age", () => {
    test("shouldComputeTheAgeByTheClockOfTheNode", async () => {
      const ahead = 3_600_000;
      session.cut();
      session = await node.session();
      session.hello({ time: Date.now() + ahead });
      const messages: Message[] = [];
      client.subscribe("a", (message) => messages.push(message));
      await session.subscribed();
      session.message("a", 1, "", { time: Date.now() + ahead - 5_000 });
      await until("a message", () => messages.length === 1);
      const [message] = messages;
      const passed = Date.now() + ahead - (message?.time ?? 0);
      assert.ok(message && message.age <= passed + message.ageUncertainty);
      assert.ok(message.age >= 5_000 - message.ageUncertainty, String(message.age));
      assert.ok(message.ageUncertainty < ahead / 2);
    });

    test("shouldNotBeCopiedWithTheMessage", async () => {
      const messages: Message[] = [];
      client.subscribe("a", (message) => messages.push(message), { payload: "text" });
      await session.subscribed();
      session.message("a", 1, "x", { encoding: "json", payload: 7 });
      await until("a message", () => messages.length === 1);
      assert.equal("age" in { ...messages[0] }, false);
      assert.equal(typeof messages[0]?.age, "number");
    });
  });

  describe("signals", () => {
    test("shouldEndTheSubscriptionWhenAborted", async () => {
      const controller = new AbortController();
      const { signal } = controller;
      client.subscribe("a", () => assert.fail("aborted"), { signal });
      await session.next("subscribe");
      controller.abort();
      await session.next("unsubscribe");
    });

    test("shouldRemoveTheSignalListenerWhenTheSubscriptionEnds", () => {
      const { signal } = new AbortController();
      const subscription = client.subscribe("a", () => undefined, { signal });
      assert.equal(getEventListeners(signal, "abort").length, 1);
      subscription.unsubscribe();
      assert.equal(getEventListeners(signal, "abort").length, 0);
    });

    test("shouldEndAtOnceIfTheSignalWasAbortedBefore", async () => {
      const signal = AbortSignal.abort();
      client.subscribe("a", () => assert.fail("aborted"), { signal });
      assert.equal(getEventListeners(signal, "abort").length, 0);
      await session.next("subscribe");
      await session.next("unsubscribe");
    });

    test("shouldRejectAnInvalidSignal", () => {
      const signal = { aborted: false } as AbortSignal;
      assert.throws(
        () => client.subscribe("a", () => undefined, { signal }),
        isSluiceError("invalid-argument"),
      );
    });
  });

  describe("states", () => {
    test("shouldReportAGapAndLiveAgain", async () => {
      const reported: unknown[] = [];
      const subscription = client.subscribe("a", {
        onMessage: ({ gapBefore }) => reported.push([gapBefore, subscription.state.status]),
        onState: (state: SubscriptionState) => reported.push(state.status),
        onGap: ({ reason }) => reported.push([reason, subscription.state.status]),
      });
      assert.equal(subscription.state.status, "pending");
      await session.subscribed();
      session.message("a", 1, "");
      session.send({ type: "gap", topic: "a", reason: "overload", offset: 7, time: 1 });
      session.message("a", 8, "");
      session.message("a", 10, "");
      session.message("a", 11, "");
      await until("all", () => reported.length === 11);
      assert.deepEqual(reported, [
        "live",
        [undefined, "live"],
        "gap",
        ["overload", "gap"],
        "live",
        ["overload", "live"],
        "gap",
        ["missing", "gap"],
        "live",
        ["missing", "live"],
        [undefined, "live"],
      ]);
    });

    test("shouldCallCallbacksAsMethodsOfTheObserver", async () => {
      class Counter {
        #count = 0;

        onMessage(): void {
          this.#count++;
        }

        get count(): number {
          return this.#count;
        }
      }
      const counter = new Counter();
      client.subscribe("a", counter);
      await session.subscribed();
      session.message("a", 1, "");
      await until("counted", () => counter.count === 1);
    });
  });

  describe("one topic, two observers", () => {
    test("shouldShareAPendingSnapshot", async () => {
      const received: string[] = [];
      const options = { from: "snapshot" } as const;
      client.subscribe("a", ({ offset }) => received.push(`first ${String(offset)}`), options);
      client.subscribe("a", ({ offset }) => received.push(`second ${String(offset)}`), options);
      await session.subscribed(9, { replay: 1 });
      session.message("a", 9, "");
      session.message("a", 10, "");
      await until("both received all", () => received.length === 4);
      assert.deepEqual(received, ["first 9", "second 9", "first 10", "second 10"]);
      assert.equal(session.count("subscribe"), 1);
    });
  });
});
