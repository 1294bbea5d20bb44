import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import {
  ConnectionFactory,
  GapException,
  InvalidDestinationException,
  JMSContext,
  JMSException,
  JMSIllegalStateException,
  JMSSecurityException,
  SessionMode,
  TextMessage,
  type ConnectionFactoryOptions,
  type Topic,
} from "../src/jms.js";
import { FEATURES, JmsScene, members, textOf } from "./jms-scene.js";
import { until } from "./support.js";

describe("JMSContext", { timeout: 60_000 }, () => {
  let scene: JmsScene;

  afterEach(() => scene.stop());

  async function open(options: ConnectionFactoryOptions = {}): Promise<JmsScene> {
    scene = await JmsScene.open(SessionMode.AUTO_ACKNOWLEDGE, options);
    return scene;
  }

  describe("topics", () => {
    async function subscribe(topic: string) {
      const { context, session } = scene;
      const created = context.createConsumer(context.createTopic(topic));
      const frame = await session.subscribed();
      return { consumer: await created, frame };
    }

    test("shouldDeliverAllMessages", async () => {
      await open();
      const { consumer, frame } = await subscribe("stocks.*");
      assert.equal(frame["topic"], "stocks.*");
      const members = { pattern: "stocks.*", properties: { region: "EU" } };
      scene.session.message("stocks.7", 1, "101", members);
      const message = await consumer.receive();
      assert.equal(textOf(message), "101");
      assert.equal(String(message?.getJMSDestination()), "stocks.7");
      assert.equal(message?.getStringProperty("region"), "EU");
      assert.equal(message.getJMSRedelivered(), false);
      await consumer.close();
      await scene.session.next("unsubscribe");
    });

    test("shouldReportAGap", async () => {
      await open();
      await subscribe("stocks.7");
      const gap = { type: "gap", topic: "stocks.7", reason: "overload", offset: 5, time: 1 };
      scene.session.send(gap);
      await scene.reported();
      const [exception] = scene.exceptions;
      assert.ok(exception instanceof GapException);
      assert.equal(exception.topic, "stocks.7");
      assert.equal(exception.reason, "overload");
      assert.equal(exception.errorCode, "gap");
    });

    test("shouldDropTheOldestMessagesBeyondTheBuffer", async () => {
      await open({ topicBuffer: 2 });
      const { consumer } = await subscribe("stocks.7");
      for (const offset of [1, 2, 3]) scene.session.message("stocks.7", offset, String(offset));
      await scene.reported();
      assert.ok(scene.exceptions[0] instanceof GapException);
      assert.equal(scene.exceptions[0].reason, "buffer-full");
      assert.equal(textOf(await consumer.receive()), "2");
      assert.equal(textOf(await consumer.receive()), "3");
      assert.equal(await consumer.receiveNoWait(), null);
    });

    test("shouldMarkARemoval", async () => {
      await open();
      const { consumer } = await subscribe("orders");
      scene.session.message("orders", 1, "", { removed: true, properties: { key: "a" } });
      const message = await consumer.receive();
      assert.ok(!(message instanceof TextMessage));
      assert.equal(message?.getBooleanProperty("JMS_Sluice_Removed"), true);
      assert.equal(message.getStringProperty("key"), "a");
    });

    test("shouldRejectARefusedTopic", async () => {
      await open();
      const { context } = scene;
      const created = context.createConsumer(context.createTopic("secret"));
      const error = { type: "error", code: "forbidden", message: "no", topic: "secret" };
      await Promise.all([
        assert.rejects(created, JMSSecurityException),
        scene.answer("subscribe", error),
      ]);
    });
  });

  describe("subscriptions with a name", () => {
    type Create = (context: JMSContext, topic: Topic) => ReturnType<JMSContext["createConsumer"]>;

    for (const [kind, create] of [
      ["durable", (context, topic) => context.createDurableConsumer(topic, "desk-1", "a = 1")],
      [
        "durable",
        (context, topic) => context.createSharedDurableConsumer(topic, "desk-1", "a = 1"),
      ],
      ["shared", (context, topic) => context.createSharedConsumer(topic, "desk-1", "a = 1")],
    ] as readonly (readonly [string, Create])[]) {
      test(`shouldConsumeA ${kind} subscription`, async () => {
        await open();
        const { consumer, frame, ref } = await scene.consume((context) =>
          create(context, context.createTopic("orders.*")),
        );
        assert.deepEqual(members(frame), {
          type: "consume",
          topic: "orders.*",
          [kind]: "desk-1",
          credit: 20,
          where: "a = 1",
        });
        scene.deliver(ref, 1, "a", { topic: "orders.eu" });
        const received = consumer.receive();
        await scene.settled("ack");
        const message = await received;
        assert.equal(textOf(message), "a");
        assert.equal(String(message?.getJMSDestination()), "orders.eu");
      });
    }

    test("shouldReportMessagesOfASharedSubscriptionThatMayBeMissing", async () => {
      await open();
      const { ref } = await scene.consume((context) =>
        context.createSharedConsumer(context.createTopic("orders.eu"), "workers"),
      );
      scene.session.send({ type: "released", ref, reason: "broker-lost" });
      await scene.reported();
      const [exception] = scene.exceptions;
      assert.ok(exception instanceof GapException);
      assert.equal(exception.topic, "orders.eu");
      assert.equal(exception.reason, "messages-missing");
    });

    test("shouldRequireATopic", async () => {
      await open();
      const { context } = scene;
      const queue = context.createQueue("orders") as never;
      assert.throws(() => context.createSharedConsumer(queue, "a"), InvalidDestinationException);
    });

    test("shouldUnsubscribeWithATopic", async () => {
      await open();
      const { context } = scene;
      const removed = context.unsubscribe("desk-1", context.createTopic("orders.eu"));
      const answer = { type: "deleted", topic: "orders.eu", durable: "desk-1" };
      const frame = await scene.answer("delete", answer);
      assert.deepEqual(members(frame), { ...answer, type: "delete" });
      await removed;
    });

    const subscription = (topic: string) => ({ topic, durable: "desk-1" });

    test("shouldFindTheTopicOfASubscription", async () => {
      await open();
      const removed = scene.context.unsubscribe("desk-1");
      const other = { topic: "a", durable: "other" };
      const subscriptions = [other, subscription("orders.eu")];
      await scene.answer("list", { type: "listed", subscriptions });
      const answer = { type: "deleted", ...subscription("orders.eu") };
      assert.equal((await scene.answer("delete", answer))["topic"], "orders.eu");
      await removed;
    });

    test("shouldRejectAnAmbiguousOrUnknownName", async () => {
      await open();
      const { context } = scene;
      const unknown = context.unsubscribe("desk-1");
      await Promise.all([
        assert.rejects(unknown, InvalidDestinationException),
        scene.answer("list", { type: "listed", subscriptions: [] }),
      ]);
      const ambiguous = context.unsubscribe("desk-1");
      const subscriptions = [subscription("a"), subscription("b")];
      await Promise.all([
        assert.rejects(ambiguous, /several topics/),
        scene.answer("list", { type: "listed", subscriptions }),
      ]);
    });

    test("shouldRejectTheRemovalOfASubscriptionInUse", async () => {
      await open();
      const { context } = scene;
      const removed = context.unsubscribe("desk-1", context.createTopic("orders.eu"));
      const error = { type: "error", code: "subscription-in-use", message: "no" };
      await Promise.all([
        assert.rejects(removed, JMSIllegalStateException),
        scene.answer("delete", { ...error, topic: "orders.eu" }),
      ]);
    });
  });

  describe("browser", () => {
    test("shouldReturnTheMessagesOfAQueue", async () => {
      await open();
      const { context } = scene;
      const queue = context.createQueue("orders");
      const browser = context.createBrowser(queue, "a = 1", 2);
      assert.equal(browser.getQueue(), queue);
      assert.equal(browser.getMessageSelector(), "a = 1");
      const enumeration = browser.getEnumeration();
      const { ref, where, max } = await scene.session.next("browse");
      assert.deepEqual({ where, max }, { where: "a = 1", max: 2 });
      const browsed = { ref, id: "00000000000000a1", time: 1, replyTo: { queue: "r" } };
      scene.session.send({ ...browsed, type: "delivery", payload: "a" });
      scene.session.send({ type: "browsed", ref, queue: "orders", count: 1, more: true });
      const [message] = await enumeration;
      assert.equal(textOf(message), "a");
      assert.equal(String(message?.getJMSReplyTo()), "r");
      assert.equal(browser.hasMore(), true);
      await browser.close();
    });

    test("shouldIterate", async () => {
      await open();
      const { context } = scene;
      const texts: unknown[] = [];
      const loop = (async () => {
        for await (const message of context.createBrowser(context.createQueue("orders")))
          texts.push(textOf(message));
      })();
      const { ref } = await scene.session.next("browse");
      for (const payload of ["a", "b"])
        scene.session.send({ type: "delivery", ref, id: "00000000000000a1", time: 1, payload });
      scene.session.send({ type: "browsed", ref, queue: "orders", count: 2 });
      await loop;
      assert.deepEqual(texts, ["a", "b"]);
    });
  });

  describe("lifecycle", () => {
    test("shouldCloseTheConnectionWithTheLastContext", async () => {
      await open();
      const second = scene.context.createContext(SessionMode.CLIENT_ACKNOWLEDGE);
      assert.equal(second.getSessionMode(), JMSContext.CLIENT_ACKNOWLEDGE);
      assert.equal(second.getTransacted(), false);
      await scene.context.close();
      const sent = second.createProducer().send(second.createQueue("a"), "x");
      await scene.answer("publish", { type: "published" });
      await sent;
      await second.close();
      await until("the connection is closed", () => scene.session.closeCode === 1000);
      await second.close();
      assert.throws(() => {
        second.start();
      }, JMSIllegalStateException);
      assert.throws(() => second.createContext(), JMSIllegalStateException);
    });

    test("shouldRejectCallsOfAnotherSessionMode", async () => {
      await open();
      await assert.rejects(scene.context.commit(), JMSIllegalStateException);
      await assert.rejects(scene.context.rollback(), JMSIllegalStateException);
      await scene.context.acknowledge();
    });

    test("shouldReportARefusedCredential", async () => {
      await open();
      const { context, session } = scene;
      const created = context.createConsumer(context.createTopic("a"));
      session.send({ type: "error", code: "unauthorized", message: "revoked" });
      session.close(4204);
      await assert.rejects(created, JMSSecurityException);
      await scene.reported();
      assert.ok(scene.exceptions[0] instanceof JMSSecurityException);
      const sent = context.createProducer().send(context.createQueue("a"), "x");
      await assert.rejects(sent, JMSSecurityException);
    });

    test("shouldLogWithoutAListenerAndWhatAListenerThrows", async (t) => {
      await open();
      const { context, session } = scene;
      const log = t.mock.method(console, "error", () => undefined);
      context.setExceptionListener(null);
      assert.equal(context.getExceptionListener(), null);
      session.send({ type: "error", code: "internal", message: "bug" });
      await until("it is logged", () => log.mock.callCount() === 1);
      context.setExceptionListener(() => {
        throw new Error("listener");
      });
      session.send({ type: "error", code: "internal", message: "another bug" });
      await until("it is logged", () => log.mock.callCount() === 2);
      assert.equal((log.mock.calls[1]?.arguments[0] as Error).message, "listener");
    });

    test("shouldRejectInvalidArguments", async () => {
      await open();
      for (const options of [
        { prefetch: 0 },
        { prefetch: 1_001 },
        { prefetch: 5, maxUnsettled: 4 },
        { topicBuffer: 1.5 },
      ]) {
        assert.throws(() => new ConnectionFactory("ws://a", options), JMSException);
      }
      const factory = new ConnectionFactory("ftp://a", { WebSocket });
      assert.throws(() => factory.createContext(), { errorCode: "invalid-argument" });
      assert.throws(() => factory.createContext(4 as never), /session mode 4 does not exist/);
    });
  });

  test("shouldNameAnUnsupportedFeature", async () => {
    scene = await JmsScene.open(1, {}, { features: FEATURES.filter((one) => one !== "durable") });
    const { context } = scene;
    const created = context.createDurableConsumer(context.createTopic("a"), "desk-1");
    await assert.rejects(created, { name: "JMSException", errorCode: "unsupported" });
  });
});
