import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import {
  ResourceAllocationException,
  SessionMode,
  type ConnectionFactoryOptions,
  type SessionModeValue,
} from "../src/jms.js";
import { FEATURES, Handlers, JmsScene, textOf } from "./jms-scene.js";
import type { ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

describe("session modes of JMS", { timeout: 60_000 }, () => {
  let scene: JmsScene;

  afterEach(() => scene.stop());

  async function open(mode: SessionModeValue = 1, options: ConnectionFactoryOptions = {}) {
    scene = await JmsScene.open(mode, options);
    return scene;
  }

  describe("reconnect", () => {
    async function reconnect(): Promise<{ session: ScriptedSession; ref: number }> {
      scene.session.cut();
      const session = await scene.node.session();
      session.hello({ features: FEATURES });
      const { ref } = await session.next("consume");
      session.send({ type: "consuming", ref, queue: "orders" });
      return { session, ref };
    }

    const delivery = (ref: number, payload: string): Record<string, unknown> => {
      const message = { type: "delivery", id: "00000000000000a1", time: 1, redelivered: true };
      return { ...message, ref, tag: 1, payload };
    };

    test("shouldDeliverAMessageAgainWhoseConnectionHasEnded", async () => {
      await open();
      const handlers = new Handlers();
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener(handlers.listener);
      scene.deliver(ref, 1, "a");
      await handlers.has(1);
      const next = await reconnect();
      handlers.complete();
      await scene.reported();
      assert.deepEqual(scene.codes, ["not-pending"]);
      next.session.send(delivery(next.ref, "a"));
      await handlers.has(2);
      assert.equal(handlers.messages[1]?.getJMSRedelivered(), true);
      handlers.complete();
      await next.session.next("ack");
    });

    test("shouldDropWaitingMessagesOfAConnectionThatHasEnded", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "received");
      scene.deliver(ref, 2, "waiting");
      await consumer.receive();
      const next = await reconnect();
      next.session.send(delivery(next.ref, "again"));
      assert.equal(textOf(await consumer.receive()), "again");
      const acknowledged = assert.rejects(scene.context.acknowledge(), /1 of 2 messages/);
      const ack = await next.session.next("ack");
      assert.deepEqual([ack["subscription"], ack["tag"]], [next.ref, 1]);
      next.session.send({ type: "settled", ref: ack.ref, subscription: next.ref });
      await acknowledged;
    });
  });

  describe("CLIENT_ACKNOWLEDGE", () => {
    test("shouldAcknowledgeAllMessagesOfTheContext", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const first = await scene.orders();
      const second = await scene.consume((context) =>
        context.createConsumer(context.createQueue("others")),
      );
      scene.deliver(first.ref, 1, "a");
      scene.deliver(first.ref, 2, "b");
      scene.deliver(first.ref, 3, "not received");
      scene.deliver(second.ref, 1, "c");
      await first.consumer.receive();
      const last = await first.consumer.receive();
      await second.consumer.receive();
      assert.equal(scene.session.count("ack"), 0);
      const acknowledged = last?.acknowledge();
      const acks = [await scene.settled("ack"), await scene.settled("ack")];
      await acknowledged;
      assert.deepEqual(
        acks.map(({ subscription, tag, upTo }) => [subscription, tag, upTo]),
        [
          [first.ref, 2, true],
          [second.ref, 1, true],
        ],
      );
      await scene.context.acknowledge();
      assert.equal(scene.session.count("ack"), 2, "nothing is left");
    });

    test("shouldReturnMessagesToTheQueueOnRecover", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      await consumer.receive();
      await consumer.receive();
      const recovered = scene.context.recover();
      const release = await scene.settled("release");
      await recovered;
      assert.deepEqual([release["tag"], release["upTo"]], [2, true]);
      assert.equal(scene.session.count("release"), 1);
    });

    test("shouldReportMessagesThatHadReturnedToTheQueue", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "a");
      scene.deliver(ref, 2, "b");
      await consumer.receive();
      await consumer.receive();
      scene.session.send({ type: "released", ref, tag: 2, reason: "timeout" });
      scene.deliver(ref, 3, "c");
      await consumer.receive();
      scene.session.send({ type: "released", ref, tag: 3, reason: "timeout" });
      scene.deliver(ref, 4, "d");
      await consumer.receive();
      await Promise.all([
        assert.rejects(scene.context.acknowledge(), {
          errorCode: "not-pending",
          message: "2 of 4 messages had returned to the queue and will be delivered again",
        }),
        scene.settled("ack"),
      ]);
    });

    test("shouldRaiseTheCreditWithUnsettledMessages", async () => {
      const options = { prefetch: 2, maxUnsettled: 5 };
      await open(SessionMode.CLIENT_ACKNOWLEDGE, options);
      const { consumer, frame, ref } = await scene.orders();
      assert.equal(frame["credit"], 2);
      for (const tag of [1, 2, 3, 4, 5]) {
        scene.deliver(ref, tag, String(tag));
        await consumer.receive();
      }
      const credits = (): unknown[] =>
        scene.session.frames.filter(({ type }) => type === "credit").map(({ credit }) => credit);
      await until("the credit is raised", () => credits().length === 2);
      assert.deepEqual(credits(), [4, 5]);
      assert.ok(scene.exceptions[0] instanceof ResourceAllocationException);
      const acknowledged = scene.context.acknowledge();
      await scene.settled("ack");
      await acknowledged;
      await until("the credit is reduced", () => credits().length === 3);
      assert.deepEqual(credits(), [4, 5, 2]);
      assert.equal(scene.exceptions.length, 1);
    });

    test("shouldAcknowledgeMessagesOfAClosedConsumer", async () => {
      await open(SessionMode.CLIENT_ACKNOWLEDGE);
      const { consumer, ref } = await scene.orders();
      scene.deliver(ref, 1, "a");
      await consumer.receive();
      await consumer.close();
      assert.equal(scene.session.count("unsubscribe"), 0);
      const acknowledged = scene.context.acknowledge();
      await scene.settled("ack");
      await acknowledged;
      await scene.answer("unsubscribe", { type: "unsubscribed", queue: "orders" });
    });
  });

  describe("AUTO_ACKNOWLEDGE", () => {
    test("shouldReleaseTheCurrentMessageOnRecover", async () => {
      await open();
      const { consumer, ref } = await scene.orders();
      consumer.setMessageListener(() => scene.context.recover());
      scene.deliver(ref, 1, "a");
      await scene.settled("release");
      scene.deliver(ref, 2, "b");
      await scene.settled("release");
      assert.equal(scene.session.count("ack"), 0);
      assert.deepEqual(scene.codes, []);
    });
  });
});
