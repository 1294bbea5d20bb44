// Tests of the JMS API of the SDK against a real node and a real broker.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { ConnectionFactory, JMSContext } from "../dist/jms.js";
import { Broker, Gateway, until } from "./processes.mjs";

/** More than the 30 s after which a node repeats a request that the broker has lost. */
const WAIT_MS = 120_000;

describe("JMS API and a real node", { timeout: 300_000 }, () => {
  let broker;
  let gateway;
  const contexts = [];

  before(async () => {
    broker = await Broker.start();
    gateway = await Gateway.start(broker, {
      "queues.send": "['>']",
      "queues.consume": "['>']",
      "queues.browse": "['>']",
      "topics.durable": "['jms.>']",
      "topics.shared": "['jms.>']",
      "broker.forward-properties": "[region, quantity, price]",
    });
  });

  after(async () => {
    await gateway?.close();
    await broker?.stop("SIGKILL");
  });

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  function open(sessionMode, options = {}) {
    const factory = new ConnectionFactory(gateway.url, { WebSocket, ...options });
    const context = factory.createContext({ sessionMode });
    context.exceptions = [];
    context.setExceptionListener((exception) => context.exceptions.push(exception));
    contexts.push(context);
    return context;
  }

  const texts = (messages) => messages.map((message) => message.getText());

  async function browse(context, queue) {
    return texts(await context.createBrowser(queue).getEnumeration());
  }

  test("shouldTransmitEachKindOfMessage", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const queue = context.createQueue("jms.kinds");
    const consumer = await context.createConsumer(queue);
    const producer = context.createProducer();

    const text = context.createTextMessage("hello");
    text.setIntProperty("quantity", 5);
    text.setDoubleProperty("price", 101.25);
    text.setStringProperty("JMSXGroupID", "g");
    text.setJMSType("order");
    text.setJMSCorrelationID("c-1");
    text.setJMSReplyTo(context.createQueue("jms.replies"));
    await producer.setPriority(7).setTimeToLive(60_000).send(queue, text);
    const received = await consumer.receive(WAIT_MS);
    assert.equal(received.getText(), "hello");
    assert.equal(received.getIntProperty("quantity"), 5);
    assert.equal(received.getStringProperty("price"), "101.25");
    assert.equal(received.getStringProperty("JMSXGroupID"), "g");
    assert.equal(received.getJMSType(), "order");
    assert.equal(received.getJMSCorrelationID(), "c-1");
    assert.equal(received.getJMSReplyTo().getQueueName(), "jms.replies");
    assert.match(received.getJMSMessageID(), /^ID:[0-9a-f]{16}$/);

    const bytes = context.createBytesMessage();
    bytes.writeLong(2n ** 60n);
    bytes.writeUTF("a\0€");
    await producer.send(queue, bytes);
    const receivedBytes = await consumer.receive(WAIT_MS);
    assert.equal(receivedBytes.readLong(), 2n ** 60n);
    assert.equal(receivedBytes.readUTF(), "a\0€");

    const map = context.createMapMessage();
    map.setInt("count", 7);
    map.setDouble("price", 0.5);
    map.setBytes("bytes", Uint8Array.of(0, 255));
    await producer.send(queue, map);
    const receivedMap = await consumer.receive(WAIT_MS);
    assert.equal(receivedMap.getLong("count"), 7);
    assert.equal(receivedMap.getString("price"), "0.5");
    assert.deepEqual(receivedMap.getBytes("bytes"), Uint8Array.of(0, 255));

    const stream = context.createStreamMessage();
    stream.writeBoolean(true);
    stream.writeString("x");
    await producer.send(queue, stream);
    const receivedStream = await consumer.receive(WAIT_MS);
    assert.equal(receivedStream.readBoolean(), true);
    assert.equal(receivedStream.readString(), "x");
    assert.deepEqual(await browse(context, queue), []);
    assert.deepEqual(context.exceptions, []);
  });

  test("shouldDeliverAMessageAgainWhoseListenerFails", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const queue = context.createQueue("jms.again");
    const flags = [];
    const consumer = await context.createConsumer(queue);
    consumer.setMessageListener((message) => {
      flags.push(message.getJMSRedelivered());
      if (flags.length === 1) throw new Error("not now");
    });
    await context.createProducer().send(queue, "once more");
    await until("it is delivered again", () => flags.length === 2);
    assert.equal(flags[1], true);
    await consumer.close();
    assert.deepEqual(await browse(context, queue), []);
  });

  test("shouldAcknowledgeAndRecoverInClientMode", async () => {
    const context = open(JMSContext.CLIENT_ACKNOWLEDGE, { prefetch: 2 });
    const queue = context.createQueue("jms.client");
    const producer = context.createProducer();
    for (const text of ["1", "2", "3", "4", "5"]) await producer.send(queue, text);
    const consumer = await context.createConsumer(queue);
    const first = [];
    while (first.length < 5) first.push(await consumer.receive(WAIT_MS));
    await context.recover();
    const second = [];
    while (second.length < 5) second.push(await consumer.receive(WAIT_MS));
    assert.deepEqual(texts(second), texts(first));
    assert.ok(second.every((message) => message.getJMSRedelivered()));
    await second[4].acknowledge();
    await consumer.close();
    assert.deepEqual(await browse(context, queue), []);
  });

  test("shouldConsumeAQueueByASelector", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const queue = context.createQueue("jms.selector");
    for (const region of ["EU", "US"]) {
      await context.createProducer().setProperty("region", region).send(queue, region);
    }
    const consumer = await context.createConsumer(queue, "region = 'US'");
    assert.equal((await consumer.receive(WAIT_MS)).getText(), "US");
    await consumer.close();
    assert.deepEqual(await browse(context, queue), ["EU"]);
    await assert.rejects(context.createConsumer(queue, "region ="), {
      name: "InvalidSelectorException",
    });
  });

  test("shouldReceiveAPatternOfTopics", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const topic = context.createTopic("jms.prices");
    const all = await context.createConsumer(context.createTopic("jms.*"));
    for (const region of ["US", "EU"]) {
      await context.createProducer().setProperty("region", region).send(topic, region);
    }
    const first = await all.receive(WAIT_MS);
    assert.equal(first.getText(), "US");
    assert.equal(first.getJMSDestination().getTopicName(), "jms.prices");
    assert.equal((await all.receive(WAIT_MS)).getText(), "EU");
    assert.deepEqual(context.exceptions, []);
  });

  test("shouldAnswerARequest", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const queue = context.createQueue("jms.quotes");
    const server = await context.createConsumer(queue);
    server.setMessageListener(async (message) => {
      const answer = context.createTextMessage(`${message.getText()}=1.0934`);
      await context.createProducer().send(message.getJMSReplyTo(), answer);
    });
    const client = open(JMSContext.AUTO_ACKNOWLEDGE);
    const replies = client.createTemporaryQueue();
    const consumer = await client.createConsumer(replies);
    const request = client.createTextMessage("EURUSD");
    request.setJMSReplyTo(replies);
    await client.createProducer().send(queue, request);
    const reply = await consumer.receive(WAIT_MS);
    assert.equal(reply.getText(), "EURUSD=1.0934");
    assert.equal(reply.getJMSCorrelationID(), request.getJMSMessageID());
    const nobody = client.createProducer().setJMSReplyTo(replies).setTimeToLive(100);
    await assert.rejects(nobody.send(client.createQueue("jms.nobody"), "x"), {
      errorCode: "timeout",
    });
  });

  test("shouldKeepADurableSubscription", async () => {
    const first = open(JMSContext.AUTO_ACKNOWLEDGE);
    const topic = first.createTopic("jms.durable");
    await first.createDurableConsumer(topic, "desk-1");
    await first.close();
    const second = open(JMSContext.AUTO_ACKNOWLEDGE);
    await second.createProducer().send(topic, "while away");
    const consumer = await second.createDurableConsumer(topic, "desk-1");
    const message = await consumer.receive(WAIT_MS);
    assert.equal(message.getText(), "while away");
    assert.equal(message.getJMSDestination().getTopicName(), "jms.durable");
    await assert.rejects(second.unsubscribe("desk-1"), { name: "JMSIllegalStateException" });
    await consumer.close();
    await second.unsubscribe("desk-1");
    await assert.rejects(second.unsubscribe("desk-1", topic), {
      name: "InvalidDestinationException",
    });
  });

  test("shouldDistributeASharedSubscription", async () => {
    const context = open(JMSContext.AUTO_ACKNOWLEDGE);
    const topic = context.createTopic("jms.shared");
    const received = [[], []];
    for (const list of received) {
      const consumer = await context.createSharedConsumer(topic, "workers");
      consumer.setMessageListener((message) => list.push(message.getText()));
    }
    const sent = Array.from({ length: 10 }, (_, index) => String(index));
    for (const text of sent) await context.createProducer().send(topic, text);
    await until("all are delivered", () => received.flat().length >= sent.length);
    assert.deepEqual(received.flat().sort(), sent);
  });

  test("shouldCommitAndRollBack", async () => {
    const context = open(JMSContext.SESSION_TRANSACTED, { prefetch: 1 });
    const other = open(JMSContext.AUTO_ACKNOWLEDGE);
    const [orders, fills] = [context.createQueue("jms.orders"), context.createQueue("jms.fills")];
    for (const text of ["1", "2"]) await other.createProducer().send(orders, text);
    const consumer = await context.createConsumer(orders);
    const producer = context.createProducer();
    const first = await consumer.receive(WAIT_MS);
    await producer.send(fills, `dropped ${first.getText()}`);
    await context.rollback();
    // The second one may have been on its way when the first one returned. Then the broker delivers
    // the first one again when the second one is settled.
    const received = [];
    while (received.length < 2) {
      const before = received.map((text) => `filled ${text}`);
      const text = (await consumer.receive(WAIT_MS)).getText();
      received.push(text);
      await producer.send(fills, `filled ${text}`);
      assert.deepEqual(await browse(other, fills), before);
      await context.commit();
    }
    assert.deepEqual(received.toSorted(), ["1", "2"]);
    assert.deepEqual(
      await browse(other, fills),
      received.map((text) => `filled ${text}`),
    );
    await consumer.close();
    assert.deepEqual(await browse(other, orders), []);
  });
});
