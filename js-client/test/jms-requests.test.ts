import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import {
  JMSIllegalStateException,
  ResourceAllocationException,
  SessionMode,
  type ConnectionFactoryOptions,
} from "../src/jms.js";
import { JmsScene, members, textOf } from "./jms-scene.js";

describe("requests of JMS", { timeout: 60_000 }, () => {
  let scene: JmsScene;

  afterEach(() => scene.stop());

  async function open(options: ConnectionFactoryOptions = {}): Promise<JmsScene> {
    scene = await JmsScene.open(SessionMode.AUTO_ACKNOWLEDGE, options);
    return scene;
  }

  describe("request and reply", () => {
    const REPLY = { id: "00000000000000b1", time: 1_763_700_000_000 };

    test("shouldDeliverTheReplyToATemporaryQueue", async () => {
      await open();
      const { context } = scene;
      const replies = context.createTemporaryQueue();
      const consumer = await context.createConsumer(replies);
      const message = context.createTextMessage("EURUSD");
      message.setJMSReplyTo(replies);
      const sent = context
        .createProducer()
        .setTimeToLive(2_000)
        .send(context.createQueue("quotes"), message);
      const frame = await scene.answer("request", {
        ...REPLY,
        type: "reply",
        messageType: "quote",
        payload: "1.0934",
      });
      const { timeout, ...others } = members(frame) as { readonly timeout?: unknown };
      assert.deepEqual(others, {
        type: "request",
        queue: "quotes",
        payload: "EURUSD",
        priority: 4,
        persistent: true,
      });
      // Less the time until the request was sent.
      assert.ok(Number(timeout) > 0 && Number(timeout) <= 2_000, String(timeout));
      await sent;
      const reply = await consumer.receive();
      assert.equal(textOf(reply), "1.0934");
      assert.equal(reply?.getJMSType(), "quote");
      assert.equal(reply.getJMSCorrelationID(), message.getJMSMessageID());
      assert.equal(reply.getJMSDestination(), replies);
      assert.throws(() => {
        replies.delete();
      }, JMSIllegalStateException);
      await assert.rejects(context.createConsumer(replies), JMSIllegalStateException);
      await consumer.close();
      replies.delete();
      await assert.rejects(context.createConsumer(replies), JMSIllegalStateException);
    });

    test("shouldStoreAReplyUntilThereIsAConsumer", async () => {
      await open();
      const { context } = scene;
      const replies = context.createTemporaryQueue();
      const producer = context.createProducer().setJMSReplyTo(replies).setJMSCorrelationID("c-1");
      const sent = producer.send(context.createTopic("quotes"), "EURUSD");
      const frame = await scene.answer("request", { ...REPLY, type: "reply", payload: "1.0934" });
      assert.equal(frame["topic"], "quotes");
      assert.equal(frame["correlationId"], undefined);
      await sent;
      const consumer = await context.createConsumer(replies);
      assert.equal((await consumer.receive())?.getJMSCorrelationID(), "c-1");
    });

    test("shouldRejectARequestWhileTooManyRepliesWait", async () => {
      await open({ topicBuffer: 1 });
      const { context } = scene;
      const replies = context.createTemporaryQueue();
      const producer = context.createProducer().setJMSReplyTo(replies);
      const queue = context.createQueue("quotes");
      const sent = producer.send(queue, "1");
      await scene.answer("request", { ...REPLY, type: "reply", payload: "one" });
      await sent;
      await assert.rejects(producer.send(queue, "2"), ResourceAllocationException);
      const consumer = await context.createConsumer(replies);
      const next = producer.send(queue, "3");
      await scene.answer("request", { ...REPLY, type: "reply", payload: "three" });
      await next;
      assert.equal(scene.session.count("request"), 2);
      // The consumer holds one message, too.
      assert.equal(textOf(await consumer.receive()), "three");
      assert.deepEqual(scene.codes, ["gap"]);
    });

    test("shouldRejectTheSendWithoutAReply", async () => {
      await open();
      const { context } = scene;
      const producer = context.createProducer().setJMSReplyTo(context.createTemporaryQueue());
      await Promise.all([
        assert.rejects(producer.send(context.createQueue("quotes"), "x"), { errorCode: "timeout" }),
        scene.answer("request", { type: "error", code: "timeout", message: "no reply" }),
      ]);
    });

    test("shouldRespondToAPendingMessage", async () => {
      await open();
      const { context } = scene;
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener(async (message) => {
        const replyTo = message.getJMSReplyTo();
        assert.ok(replyTo);
        await context.createProducer().setTimeToLive(500).send(replyTo, "done");
      });
      scene.deliver(ref, 1, "work", { replyTo: { queue: "replies.of.node" } });
      const frame = await scene.answer("respond", { type: "published" });
      assert.deepEqual(members(frame), {
        type: "respond",
        subscription: ref,
        tag: 1,
        payload: "done",
        priority: 4,
        persistent: true,
        ttl: 500,
      });
      await scene.settled("ack");
    });

    test("shouldPublishTheReplyOfASettledMessage", async () => {
      await open();
      const { context } = scene;
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "work", { replyTo: { queue: "replies" } });
      const received = consumer.receive();
      await scene.settled("ack");
      const replyTo = (await received)?.getJMSReplyTo();
      assert.ok(replyTo);
      const sent = context.createProducer().setJMSCorrelationID("c").send(replyTo, "done");
      const frame = await scene.answer("publish", { type: "published" });
      await sent;
      assert.equal(frame["queue"], "replies");
      assert.equal(frame["correlationId"], "c");
    });
  });
});
