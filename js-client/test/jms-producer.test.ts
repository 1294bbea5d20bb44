import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  DeliveryMode,
  InvalidDestinationException,
  JMSException,
  JMSIllegalStateException,
  JMSSecurityException,
  MessageFormatException,
  type JMSProducer,
  type Message,
  type Sendable,
} from "../src/jms.js";
import { JmsScene, members } from "./jms-scene.js";
import { until } from "./support.js";

const DEFAULTS = { type: "publish", priority: 4, persistent: true };

describe("JMSProducer", { timeout: 60_000 }, () => {
  let scene: JmsScene;
  let producer: JMSProducer;

  beforeEach(async () => {
    scene = await JmsScene.open();
    producer = scene.context.createProducer();
  });

  afterEach(() => scene.stop());

  async function send(body: Sendable, destination = scene.context.createQueue("orders")) {
    const sent = producer.send(destination, body);
    const frame = await scene.answer("publish", { type: "published" });
    await sent;
    return members(frame);
  }

  test("shouldSendAllHeadersAndTypedProperties", async () => {
    const { context } = scene;
    const message = context.createTextMessage("hello");
    message.setIntProperty("quantity", 5);
    message.setFloatProperty("price", 0.5);
    message.setStringProperty("region", "US");
    message.setStringProperty("JMSXGroupID", "g");
    message.setJMSType("message");
    message.setJMSCorrelationID("c-1");
    producer
      .setPriority(7)
      .setTimeToLive(60_000)
      .setDeliveryDelay(1_000)
      .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
      .setJMSType("order")
      .setJMSReplyTo(context.createQueue("replies"))
      .setProperty("region", "EU")
      .setProperty("flag", true);
    const before = Date.now();
    assert.deepEqual(await send(message), {
      type: "publish",
      queue: "orders",
      payload: "hello",
      priority: 7,
      persistent: false,
      ttl: 60_000,
      delay: 1_000,
      messageType: "order",
      correlationId: "c-1",
      replyTo: { queue: "replies" },
      group: "g",
      properties: { quantity: 5, price: 0.5, region: "EU", flag: true },
      types: { quantity: "int", price: "float" },
    });
    assert.equal(message.getJMSPriority(), 7);
    assert.equal(message.getJMSDeliveryMode(), DeliveryMode.NON_PERSISTENT);
    assert.equal(String(message.getJMSDestination()), "orders");
    assert.ok(Number(message.getJMSTimestamp()) >= before);
    assert.ok(Number(message.getJMSExpiration()) >= before + 60_000);
    assert.ok(Number(message.getJMSDeliveryTime()) >= before + 1_000);
    assert.equal(message.getJMSMessageID(), null);
    assert.equal(message.getStringProperty("region"), "US", "the message is not changed");
  });

  test("shouldReturnItsSettings", () => {
    const { context } = scene;
    assert.equal(producer.getPriority(), 4);
    assert.equal(producer.getDeliveryMode(), DeliveryMode.PERSISTENT);
    const replyTo = context.createTopic("replies");
    producer.setTimeToLive(5).setDeliveryDelay(6).setJMSType("t").setJMSCorrelationID("c");
    producer.setJMSReplyTo(replyTo).setProperty("p", 7);
    assert.equal(producer.getTimeToLive(), 5);
    assert.equal(producer.getDeliveryDelay(), 6);
    assert.equal(producer.getJMSType(), "t");
    assert.equal(producer.getJMSCorrelationID(), "c");
    assert.equal(producer.getJMSReplyTo(), replyTo);
    assert.equal(producer.getObjectProperty("p"), 7);
    assert.deepEqual(producer.getPropertyNames(), ["p"]);
    assert.equal(producer.clearProperties().propertyExists("p"), false);
  });

  test("shouldSendEachKindOfContent", async () => {
    const { context } = scene;
    const queue = { ...DEFAULTS, queue: "orders" };
    assert.deepEqual(await send("text"), { ...queue, payload: "text" });
    assert.deepEqual(await send({ a: 1, b: null }), {
      ...queue,
      encoding: "json",
      payload: { a: 1, b: null },
    });
    const map = new Map([["bytes", Uint8Array.of(0, 1, 255)]]);
    assert.deepEqual(await send(map), {
      ...queue,
      encoding: "json",
      payload: { bytes: { base64: "AAH/" } },
    });
    const stream = context.createStreamMessage();
    stream.writeChar("c");
    stream.writeLong(7n);
    assert.deepEqual(await send(stream), { ...queue, encoding: "json", payload: ["c", 7] });
    const bytes = await send(Uint8Array.of(0, 1, 255));
    assert.deepEqual(bytes, { ...queue, encoding: "base64", payload: "AAH/" });
    assert.deepEqual(await send(context.createMessage()), { ...queue, payload: "" });
    assert.deepEqual(await send(context.createTextMessage()), { ...queue, payload: "" });
  });

  test("shouldSendToATopic", async () => {
    const sent = producer.send(scene.context.createTopic("chat.1"), "hello");
    const frame = await scene.answer("publish", { type: "published" });
    await sent;
    assert.deepEqual(members(frame), { ...DEFAULTS, topic: "chat.1", payload: "hello" });
  });

  test("shouldRejectASendThatTheNodeRefuses", async () => {
    const sent = producer.send(scene.context.createQueue("secret"), "x");
    await Promise.all([
      assert.rejects(sent, (thrown: unknown) => {
        assert.ok(thrown instanceof JMSSecurityException);
        assert.equal(thrown.getErrorCode(), "forbidden");
        assert.equal((thrown.cause as Error).name, "SluiceError");
        return true;
      }),
      scene.answer("publish", { type: "error", code: "forbidden", message: "no" }),
    ]);
  });

  test("shouldNotifyACompletionListener", async () => {
    const results: unknown[] = [];
    const { context } = scene;
    const listener = {
      onCompletion: (message: Message) => results.push(message),
      onException: (message: Message, { errorCode }: JMSException) =>
        results.push([message, errorCode]),
    };
    producer.setAsync(listener);
    assert.equal(producer.getAsync(), listener);
    const [first, second] = [context.createTextMessage("1"), context.createTextMessage("2")];
    await producer.send(context.createQueue("orders"), first);
    await producer.send(context.createQueue("orders"), second);
    assert.deepEqual(results, [], "there is no answer yet");
    await scene.answer("publish", { type: "published" });
    await scene.answer("publish", { type: "error", code: "publish-failed", message: "full" });
    await until("both are completed", () => results.length === 2);
    assert.deepEqual(results, [first, [second, "publish-failed"]]);
  });

  test("shouldRejectInvalidArguments", async () => {
    const { context } = scene;
    for (const call of [
      () => producer.setPriority(10),
      () => producer.setTimeToLive(-1),
      () => producer.setDeliveryDelay(0.5),
      () => producer.setDeliveryMode(3 as never),
    ]) {
      assert.throws(call, JMSException);
    }
    assert.throws(() => producer.setProperty("a-b", 1), MessageFormatException);
    assert.throws(() => context.createQueue(" "), InvalidDestinationException);
    const queue = context.createQueue("orders");
    await assert.rejects(producer.send(queue, 7 as never), MessageFormatException);
    await assert.rejects(producer.send(queue, null as never), MessageFormatException);
    await assert.rejects(producer.send(queue, [1] as never), MessageFormatException);
    await assert.rejects(producer.send({} as never, "x"), InvalidDestinationException);
    const temporary = context.createTemporaryQueue();
    await assert.rejects(producer.send(temporary, "x"), InvalidDestinationException);
    await assert.rejects(producer.send(context.createTopic("a..b"), "x"), {
      errorCode: "invalid-argument",
    });
  });

  test("shouldRejectASendAfterTheContextWasClosed", async () => {
    const queue = scene.context.createQueue("orders");
    await scene.context.close();
    await assert.rejects(producer.send(queue, "x"), JMSIllegalStateException);
    assert.throws(() => scene.context.createProducer(), JMSIllegalStateException);
  });
});
