import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  JMSContext,
  JMSException,
  JMSIllegalStateException,
  JMSRuntimeException,
  TransactionRolledBackException,
  type Message,
} from "../src/jms.js";
import { JmsScene, members } from "./jms-scene.js";
import { until } from "./support.js";

describe("transacted JMSContext", { timeout: 60_000 }, () => {
  let scene: JmsScene;

  beforeEach(async () => {
    scene = await JmsScene.open(JMSContext.SESSION_TRANSACTED);
  });

  afterEach(() => scene.stop());

  /** Receives messages of the queue `orders` with the tags 1 to `count`. */
  async function receive(count: number) {
    const { consumer, ref } = await scene.orders();
    for (let tag = 1; tag <= count; tag++) {
      scene.deliver(ref, tag, String(tag));
      await consumer.receive();
    }
    return { consumer, ref };
  }

  async function send(text: string): Promise<void> {
    const { context } = scene;
    await context.createProducer().send(context.createQueue("fills"), text);
  }

  test("shouldCommitSendsAndReceivesInOneTransaction", async () => {
    const { context, session } = scene;
    assert.equal(context.getTransacted(), true);
    const { ref } = await receive(2);
    await send("7@101.25");
    const producer = context.createProducer().setTimeToLive(1_000).setJMSCorrelationID("c");
    producer.setJMSReplyTo(context.createTopic("replies"));
    await producer.send(context.createTopic("audit.fills"), { a: 1 });
    assert.equal(session.count("publish") + session.count("ack"), 0);
    const committed = context.commit();
    const frame = await scene.answer("transaction", { type: "committed" });
    await committed;
    const defaults = { priority: 4, persistent: true };
    assert.deepEqual(members(frame), {
      type: "transaction",
      publish: [
        { ...defaults, queue: "fills", payload: "7@101.25" },
        {
          ...defaults,
          topic: "audit.fills",
          encoding: "json",
          payload: { a: 1 },
          ttl: 1_000,
          correlationId: "c",
          replyTo: { topic: "replies" },
        },
      ],
      ack: [{ subscription: ref, tag: 2, upTo: true }],
    });
    await context.commit();
    assert.equal(session.count("transaction"), 1, "nothing is left");
  });

  test("shouldDropSendsAndReleaseMessagesOnRollback", async () => {
    const { context, session } = scene;
    const { ref } = await receive(2);
    await send("dropped");
    const rolledBack = context.rollback();
    const release = await scene.settled("release");
    await rolledBack;
    assert.deepEqual([release["subscription"], release["tag"], release["upTo"]], [ref, 2, true]);
    await context.commit();
    assert.equal(session.count("transaction"), 0);
  });

  test("shouldRejectMessagesOfASecondConsumer", async () => {
    const { context } = scene;
    const first = await receive(1);
    const second = await scene.consume((context) =>
      context.createConsumer(context.createQueue("others")),
    );
    scene.deliver(second.ref, 1, "x");
    await assert.rejects(second.consumer.receive(), (thrown: unknown) => {
      assert.ok(thrown instanceof JMSRuntimeException);
      assert.match(thrown.message, /messages of one consumer only/);
      return true;
    });
    const committed = context.commit();
    const frame = await scene.answer("transaction", { type: "committed" });
    await committed;
    assert.deepEqual(frame["ack"], [{ subscription: first.ref, tag: 1, upTo: true }]);
    assert.ok(await second.consumer.receive(), "it belongs to the next transaction");
  });

  test("shouldHoldMessagesForASecondListenerUntilTheCommit", async () => {
    const { context } = scene;
    const messages: Message[] = [];
    const first = await scene.orders();
    const second = await scene.consume((context) =>
      context.createConsumer(context.createQueue("others")),
    );
    for (const { consumer } of [first, second])
      consumer.setMessageListener((message) => messages.push(message));
    scene.deliver(first.ref, 1, "a");
    await until("the first is delivered", () => messages.length === 1);
    scene.deliver(second.ref, 1, "b");
    await scene.reported();
    assert.ok(scene.exceptions[0] instanceof JMSRuntimeException);
    assert.equal(messages.length, 1);
    const committed = context.commit();
    await scene.answer("transaction", { type: "committed" });
    await committed;
    await until("the second is delivered", () => messages.length === 2);
    assert.equal(scene.exceptions.length, 1);
  });

  test("shouldNotIncludeMessagesOfATopic", async () => {
    const { context, session } = scene;
    const created = context.createConsumer(context.createTopic("stocks.7"));
    await session.subscribed();
    const consumer = await created;
    session.message("stocks.7", 1, "101");
    assert.ok(await consumer.receive());
    await receive(1);
    session.message("stocks.7", 2, "102");
    assert.ok(await consumer.receive());
    const committed = context.commit();
    const frame = await scene.answer("transaction", { type: "committed" });
    await committed;
    assert.equal((frame["ack"] as unknown[]).length, 1);
  });

  for (const code of ["transaction-failed", "forbidden"]) {
    test(`shouldRollBackAfter ${code}`, async () => {
      const { context } = scene;
      await receive(1);
      await send("x");
      const committed = assert.rejects(context.commit(), (thrown: unknown) => {
        assert.ok(thrown instanceof TransactionRolledBackException);
        assert.equal(thrown.errorCode, code);
        return true;
      });
      await scene.answer("transaction", { type: "error", code, message: "publish 1: no" });
      // After transaction-failed the node has already returned the messages.
      if (code === "forbidden") await scene.settled("release");
      await committed;
      await context.commit();
      assert.equal(scene.session.count("release"), code === "forbidden" ? 1 : 0);
    });
  }

  test("shouldRollBackIfAMessageHasReturnedToTheQueue", async () => {
    const { context, session } = scene;
    const { consumer, ref } = await receive(2);
    session.send({ type: "released", ref, tag: 1, reason: "timeout" });
    await send("x");
    scene.deliver(ref, 3, "c");
    // The delivery proves that the frame before it was handled.
    assert.ok(await consumer.receive());
    const committed = assert.rejects(context.commit(), TransactionRolledBackException);
    assert.equal((await scene.settled("release"))["tag"], 3);
    await committed;
    assert.equal(session.count("transaction"), 0);
  });

  test("shouldReportAnUnknownOutcome", async () => {
    const { context, session } = scene;
    await send("x");
    const committed = assert.rejects(context.commit(), (thrown: unknown) => {
      assert.ok(thrown instanceof JMSException);
      assert.ok(!(thrown instanceof TransactionRolledBackException));
      assert.equal(thrown.errorCode, "connection-lost");
      return true;
    });
    await session.next("transaction");
    session.cut();
    await committed;
  });

  test("shouldCommitMessagesOfAClosedConsumer", async () => {
    const { context } = scene;
    const { consumer } = await receive(1);
    await consumer.close();
    const committed = context.commit();
    await scene.answer("transaction", { type: "committed" });
    await committed;
    await scene.answer("unsubscribe", { type: "unsubscribed", queue: "orders" });
  });

  test("shouldRejectRequestsAndRecover", async () => {
    const { context } = scene;
    await assert.rejects(context.recover(), JMSIllegalStateException);
    const producer = context.createProducer().setJMSReplyTo(context.createTemporaryQueue());
    await assert.rejects(producer.send(context.createQueue("a"), "x"), JMSRuntimeException);
  });

  test("shouldKeepTheTransactionWhenAListenerFails", async () => {
    const { context } = scene;
    const { consumer, ref } = await scene.orders();
    consumer.setMessageListener(() => {
      throw new Error("no");
    });
    scene.deliver(ref, 1, "a");
    await scene.reported();
    assert.deepEqual(scene.codes, ["handler-failed"]);
    const rolledBack = context.rollback();
    assert.equal((await scene.settled("release"))["tag"], 1);
    await rolledBack;
  });
});
