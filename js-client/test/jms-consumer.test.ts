import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import {
  BytesMessage,
  InvalidDestinationException,
  InvalidSelectorException,
  JMSException,
  JMSIllegalStateException,
  MapMessage,
  MessageFormatException,
  SessionMode,
  StreamMessage,
  type ConnectionFactoryOptions,
  type SessionModeValue,
} from "../src/jms.js";
import { Handlers, JmsScene, textOf } from "./jms-scene.js";
import { LeapingClock, until } from "./support.js";

describe("JMSConsumer", { timeout: 60_000 }, () => {
  let scene: JmsScene;

  afterEach(() => scene.stop());

  async function open(mode: SessionModeValue = 1, options: ConnectionFactoryOptions = {}) {
    scene = await JmsScene.open(mode, options);
    return scene;
  }

  describe("receive", () => {
    test("shouldReturnAMessageWithItsHeadersAndAcknowledgeIt", async () => {
      await open();
      const { consumer, frame, ref } = await scene.orders("region = 'EU'");
      assert.equal(frame["queue"], "orders");
      assert.equal(frame["where"], "region = 'EU'");
      assert.equal(frame["credit"], 20);
      assert.equal(consumer.getMessageSelector(), "region = 'EU'");
      const received = consumer.receive();
      scene.deliver(ref, 1, "hello", {
        redelivered: true,
        messageType: "order",
        correlationId: "c-1",
        replyTo: { topic: "replies" },
        group: "g",
        properties: { quantity: 5 },
      });
      const ack = await scene.settled("ack");
      assert.equal(ack["tag"], 1);
      const message = await received;
      assert.equal(textOf(message), "hello");
      assert.equal(message?.getJMSMessageID(), "ID:9e3779b97f4a7c15");
      assert.equal(message.getJMSTimestamp(), 1_763_700_000_000);
      assert.equal(message.getJMSRedelivered(), true);
      assert.equal(message.getJMSType(), "order");
      assert.equal(message.getJMSCorrelationID(), "c-1");
      assert.equal(String(message.getJMSReplyTo()), "replies");
      assert.equal(String(message.getJMSDestination()), "orders");
      assert.equal(message.getStringProperty("JMSXGroupID"), "g");
      assert.equal(message.getStringProperty("quantity"), "5");
      assert.equal(message.getJMSPriority(), null);
      assert.equal(message.getJMSDeliveryMode(), null);
      await message.acknowledge();
    });

    test("shouldCreateAMessageOfEachKind", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "AAH/", { encoding: "base64" });
      scene.deliver(ref, 2, { a: 1 }, { encoding: "json" });
      scene.deliver(ref, 3, [1, "x"], { encoding: "json" });
      const bytes = await consumer.receive();
      assert.ok(bytes instanceof BytesMessage);
      assert.deepEqual(bytes.getBody(), Uint8Array.of(0, 1, 255));
      const map = await consumer.receive();
      assert.ok(map instanceof MapMessage);
      assert.equal(map.getString("a"), "1");
      const stream = await consumer.receive();
      assert.ok(stream instanceof StreamMessage);
      assert.equal(stream.readInt(), 1);
      assert.equal(stream.readString(), "x");
    });

    test("shouldReturnBodies", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "text");
      scene.deliver(ref, 2, { a: 1 }, { encoding: "json" });
      scene.deliver(ref, 3, [1], { encoding: "json" });
      assert.equal(await consumer.receiveBody(), "text");
      assert.deepEqual(await consumer.receiveBody(), { a: 1 });
      await assert.rejects(consumer.receiveBody(), MessageFormatException);
    });

    test("shouldReturnNullAfterTheTimeout", async () => {
      const clock = new LeapingClock(1_000);
      await open(1, { clock });
      const { consumer } = await scene.orders();
      const received = consumer.receive(5_000);
      await until("it waits", () => clock.hasTimer(5_000));
      clock.leap(5_000);
      assert.equal(await received, null);
      assert.equal(await consumer.receiveNoWait(), null);
    });

    test("shouldReturnNullWhenTheConsumerIsClosed", async () => {
      await open();
      const { consumer } = await scene.orders();
      const received = consumer.receive();
      const closed = consumer.close();
      assert.equal(await received, null);
      await scene.answer("unsubscribe", { type: "unsubscribed", queue: "orders" });
      await closed;
      await assert.rejects(consumer.receive(), JMSIllegalStateException);
      await consumer.close();
    });

    test("shouldWaitUntilTheContextIsStarted", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      scene.context.setAutoStart(false);
      assert.equal(scene.context.getAutoStart(), false);
      const { consumer, ref } = await scene.orders();
      let isReceived = false;
      const received = consumer.receive().then((message) => {
        isReceived = true;
        return message;
      });
      scene.deliver(ref, 1, "a");
      // A second answer of the node proves that the first one was handled.
      const browsed = scene.context.createBrowser(scene.context.createQueue("q")).getEnumeration();
      await scene.answer("browse", { type: "browsed", queue: "q", count: 0 });
      await browsed;
      assert.equal(await consumer.receiveNoWait(), null);
      assert.equal(isReceived, false);
      scene.context.start();
      assert.equal(textOf(await received), "a");
    });

    test("shouldSkipAMessageThatHasReturnedToTheQueue", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "gone");
      scene.session.send({ type: "released", ref, tag: 1, reason: "timeout" });
      scene.deliver(ref, 2, "kept");
      const received = consumer.receive();
      assert.equal((await scene.settled("ack"))["tag"], 2);
      assert.equal(textOf(await received), "kept");
    });

    test("shouldSkipAMessageThatCannotBeAcknowledged", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      const received = consumer.receive();
      scene.deliver(ref, 1, "gone");
      const error = { type: "error", code: "not-pending", message: "gone", subscription: ref };
      await scene.answer("ack", { ...error, tag: 1 });
      scene.deliver(ref, 2, "kept");
      await scene.settled("ack");
      assert.equal(textOf(await received), "kept");
      assert.deepEqual(scene.codes, []);
    });

    test("shouldRejectIfTheAcknowledgementFails", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "a");
      const error = { type: "error", code: "settle-failed", message: "no", subscription: ref };
      await Promise.all([
        assert.rejects(consumer.receive(), { errorCode: "settle-failed" }),
        scene.answer("ack", { ...error, tag: 1 }),
      ]);
    });

    test("shouldRejectInvalidCalls", async () => {
      await open();
      const { consumer } = await scene.orders();
      await assert.rejects(consumer.receive(-1), JMSException);
      await assert.rejects(consumer.receive(NaN), JMSException);
      const listener = (): void => undefined;
      consumer.setMessageListener(listener);
      assert.equal(consumer.getMessageListener(), listener);
      await assert.rejects(consumer.receive(), JMSIllegalStateException);
      await assert.rejects(consumer.receiveNoWait(), JMSIllegalStateException);
      consumer.setMessageListener(null);
      assert.equal(await consumer.receiveNoWait(), null);
    });
  });

  describe("listener", () => {
    test("shouldAcknowledgeAMessageWhenItsListenerResolves", async () => {
      await open();
      const handlers = new Handlers();
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      consumer.setMessageListener(handlers.listener);
      await handlers.has(1);
      assert.equal(scene.session.count("ack"), 0);
      handlers.complete();
      const { ref: ackRef } = await scene.session.next("ack");
      assert.deepEqual(handlers.texts, ["a"], "the acknowledgement is not stored yet");
      scene.session.send({ type: "settled", ref: ackRef, subscription: ref });
      await handlers.has(2);
      handlers.complete();
      assert.equal((await scene.settled("ack"))["tag"], 2);
    });

    test("shouldReleaseAMessageWhoseListenerThrows", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener((message) => {
        throw new Error(`no ${String(textOf(message))}`);
      });
      scene.deliver(ref, 1, "stock");
      assert.equal((await scene.settled("release"))["tag"], 1);
      assert.deepEqual(scene.codes, ["handler-failed"]);
      assert.equal((scene.exceptions[0]?.cause as Error).message, "no stock");
    });

    test("shouldCallTheListenersOfAContextOneAfterTheOther", async () => {
      await open();
      const handlers = new Handlers();
      const first = await scene.orders();
      const second = await scene.consume((context) =>
        context.createConsumer(context.createQueue("others")),
      );
      scene.context.setExceptionListener(null);
      for (const { consumer } of [first, second]) consumer.setMessageListener(handlers.listener);
      scene.deliver(first.ref, 1, "a");
      scene.deliver(first.ref, 2, "b");
      scene.deliver(second.ref, 1, "c");
      await handlers.has(1);
      for (const [index, text] of ["a", "c", "b"].entries()) {
        await handlers.has(index + 1);
        assert.equal(handlers.messages.length, index + 1);
        assert.equal(handlers.texts.at(-1), text, "the consumers take turns");
        handlers.complete();
        await scene.settled("ack");
      }
    });

    test("shouldCompleteTheRunningListenerWhenTheContextStops", async () => {
      await open(SessionMode.DUPS_OK_ACKNOWLEDGE);
      const handlers = new Handlers();
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener(handlers.listener);
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      await handlers.has(1);
      let isStopped = false;
      const stopped = scene.context.stop().then(() => (isStopped = true));
      await Promise.resolve();
      assert.equal(isStopped, false);
      handlers.complete();
      await stopped;
      await scene.settled("ack");
      assert.deepEqual(handlers.texts, ["a"]);
      scene.context.start();
      await handlers.has(2);
      handlers.complete();
      await scene.settled("ack");
    });

    test("shouldNotPermitAListenerToStopItsContext", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      const results: unknown[] = [];
      consumer.setMessageListener(() => {
        const { context } = scene;
        results.push(
          assert.rejects(context.stop(), JMSIllegalStateException),
          assert.rejects(context.close(), JMSIllegalStateException),
        );
      });
      scene.deliver(ref, 1, "a");
      await scene.settled("ack");
      await Promise.all(results);
      assert.equal(results.length, 2);
    });

    test("shouldPermitAListenerToCloseItsConsumer", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener(() => consumer.close());
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      assert.equal((await scene.settled("ack"))["tag"], 1);
      await scene.answer("unsubscribe", { type: "unsubscribed", queue: "orders" });
      assert.equal(scene.session.count("ack"), 1);
    });

    test("shouldReportALateAcknowledgementWithoutWaiting", async () => {
      await open(SessionMode.DUPS_OK_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      const texts: unknown[] = [];
      consumer.setMessageListener((message) => texts.push(textOf(message)));
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      await until("both are delivered", () => texts.length === 2);
      const error = { type: "error", code: "not-pending", message: "gone", subscription: ref };
      await scene.answer("ack", { ...error, tag: 1 });
      await scene.reported();
      assert.deepEqual(scene.codes, ["not-pending"]);
      await scene.settled("ack");
    });
  });

  describe("refusal", () => {
    for (const [code, type] of [
      ["unknown-queue", InvalidDestinationException],
      ["invalid-selector", InvalidSelectorException],
    ] as const) {
      test(`shouldReject ${code}`, async () => {
        await open();
        const { context } = scene;
        const created = context.createConsumer(context.createQueue("orders"), "x = 1");
        const error = { type: "error", code, message: "no", queue: "orders" };
        await Promise.all([assert.rejects(created, type), scene.answer("consume", error)]);
        assert.deepEqual(scene.codes, []);
      });
    }

    test("shouldRejectInvalidNames", async () => {
      await open();
      const { context } = scene;
      for (const created of [
        context.createConsumer(context.createQueue("a.*")),
        context.createConsumer(context.createTopic("a..b")),
      ]) {
        await assert.rejects(created, InvalidDestinationException);
      }
    });

    test("shouldIgnoreAnEmptySelector", async () => {
      await open();
      const { consumer, frame } = await scene.orders(" ");
      assert.equal(frame["where"], undefined);
      assert.equal(consumer.getMessageSelector(), null);
    });

    test("shouldReportALaterEndOfAConsumer", async () => {
      await open();
      const { ref } = await scene.orders();
      scene.session.send({ type: "error", ref, code: "forbidden", message: "no", queue: "orders" });
      await scene.reported();
      assert.deepEqual(scene.codes, ["forbidden"]);
    });

    test("shouldRejectACallThatWaitsWhenTheContextIsClosed", async () => {
      await open();
      const { context } = scene;
      const created = context.createConsumer(context.createQueue("orders"));
      const rejected = assert.rejects(created, JMSIllegalStateException);
      await scene.session.next("consume");
      await context.close();
      await rejected;
    });
  });
});
