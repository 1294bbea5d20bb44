// Tests of publishing and queues of the SDK against a real node and a real broker.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { Issuer } from "./issuer.mjs";
import { Broker, Gateway, until } from "./processes.mjs";

const LIFE_MS = 600_000;
const RULES = [
  {
    subscribe: [">"],
    publish: [">"],
    send: ["sdk.>", "inbox.*"],
    consume: ["sdk.>", "inbox.{sub}"],
    browse: ["sdk.>", "DLQ"],
    durable: ["sdk.>"],
    shared: ["sdk.>"],
  },
];

/** WebSocket that can lose the answer of a publish, together with the connection. */
class LossyWebSocket extends WebSocket {
  static losses = 0;

  emit(event, ...values) {
    const isAnswer = event === "message" && String(values[0]).includes('"published"');
    if (!isAnswer || LossyWebSocket.losses === 0) return super.emit(event, ...values);
    LossyWebSocket.losses--;
    this.terminate();
    return true;
  }
}

/** Promise with the function that resolves it. */
function deferred() {
  let resolve;
  const promise = new Promise((resolved) => (resolve = resolved));
  return { promise, resolve };
}

describe("queues of the SDK and a real node", { timeout: 300_000 }, () => {
  let issuer;
  let broker;
  let gateway;
  const clients = [];

  before(async () => {
    issuer = await Issuer.start();
    broker = await Broker.start();
    gateway = await Gateway.start(broker, {
      "auth.jwt.keys": JSON.stringify([issuer.keyFile]),
      "permissions.rules": JSON.stringify(RULES),
      "broker.forward-properties": "[region, quantity]",
      "limits.publish-rate": 10000,
    });
  });

  after(async () => {
    await gateway?.close();
    await broker?.stop("SIGKILL");
    await issuer?.close();
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function open(options) {
    const client = connect(gateway.url, {
      WebSocket,
      minBackoff: 20,
      maxBackoff: 200,
      token: () => issuer.token("ann", LIFE_MS),
      ...options,
    });
    client.on("error", () => undefined);
    clients.push(client);
    await until("the client is connected", () => client.state.status === "open");
    return client;
  }

  /** Consumes a queue; `received` has the deliveries, `errors` the codes. */
  async function consume(queue, options, handler = () => undefined) {
    const received = [];
    const errors = [];
    const consumer = await queue.consume(
      (delivery) => {
        received.push(delivery);
        return handler(delivery);
      },
      { onError: ({ code }) => errors.push(code), ...options },
    );
    await until(`${queue.name} is answered`, () => consumer.state.status !== "pending");
    return { consumer, received, errors };
  }

  const payloads = (messages) => messages.map(({ payload }) => payload);

  async function publish(queue, ...all) {
    for (const payload of all) await queue.publish(payload);
  }

  for (const encoding of ["binary", "json"]) {
    // Separate queues, so that tests don't receive each other's messages.
    const name = (last) => `sdk.${encoding}.${last}`;

    describe(encoding, () => {
      test("shouldDeliverWhatWasPublishedAndAcknowledgeIt", async () => {
        const queue = (await open({ encoding })).queue(name("options"));
        const headers = { messageType: "order", correlationId: "o-17", group: "ann" };
        await queue.publish("text", {
          ...headers,
          priority: 7,
          ttl: 60_000,
          persistent: true,
          replyTo: { queue: "inbox.ann" },
          properties: { region: "EU", quantity: 5 },
          types: { quantity: "int" },
        });
        await queue.publish(Uint8Array.of(0, 255));
        await queue.publish({ flag: true, count: 7 }, { body: "map" });
        const { consumer, received, errors } = await consume(queue);
        await until("all are delivered", () => received.length === 3);
        await consumer.close();
        const [text, bytes, map] = received;
        assert.equal(text.payload, "text");
        assert.notEqual(text.redelivered, true);
        const { messageType, correlationId, group } = text;
        assert.deepEqual({ messageType, correlationId, group }, headers);
        assert.deepEqual(text.replyTo, { queue: "inbox.ann" });
        assert.deepEqual(text.properties, { region: "EU", quantity: 5 });
        assert.deepEqual(bytes.payload, Uint8Array.of(0, 255));
        assert.deepEqual(map.payload, { flag: true, count: 7 });
        assert.deepEqual(errors, []);
        assert.deepEqual(await queue.browse(), { messages: [], more: false, skipped: 0 });
      });

      test("shouldDeliverAMessageAgainIfItsHandlerRejects", async () => {
        const queue = (await open({ encoding })).queue(name("released"));
        await publish(queue, "once more");
        const { consumer, received, errors } = await consume(queue, {}, async (delivery) => {
          if (delivery.redelivered !== true) throw new Error("not now");
        });
        await until("it is delivered again", () => received.length === 2);
        await consumer.close();
        assert.deepEqual(payloads(received), ["once more", "once more"]);
        assert.deepEqual(errors, ["handler-failed"]);
        assert.deepEqual((await queue.browse()).messages, []);
      });

      test("shouldSettleManually", async () => {
        const client = await open({ encoding });
        const queue = client.queue(name("manual"));
        await publish(queue, "1", "2", "3", "4");
        const { consumer, received } = await consume(queue, { ack: "manual", credit: 4 });
        await until("all are delivered", () => received.length === 4);
        await received[1].ack({ upTo: true });
        await assert.rejects(received[0].ack(), { code: "not-pending" });
        await received[2].reject();
        await received[3].release();
        await until("it is delivered again", () => received.length === 5);
        assert.equal(received[4].payload, "4");
        assert.equal(received[4].redelivered, true);
        await received[4].ack();
        await consumer.close();
        assert.deepEqual((await queue.browse()).messages, []);
        const dead = await client.queue("DLQ").browse();
        assert.equal(payloads(dead.messages).at(-1), "3");
      });

      test("shouldBrowseAndConsumeByASelector", async () => {
        const queue = (await open({ encoding })).queue(name("browsed"));
        for (const region of ["EU", "US", "EU"]) {
          await queue.publish({ region }, { properties: { region } });
        }
        const some = await queue.browse({ max: 2, payload: "json" });
        assert.deepEqual(payloads(some.messages), [{ region: "EU" }, { region: "US" }]);
        assert.equal(some.more, true);
        const where = "region = 'US'";
        assert.equal((await queue.browse({ where })).messages.length, 1);
        const { consumer, received } = await consume(queue, { where, payload: "json" });
        await until("it is delivered", () => received.length === 1);
        await consumer.close();
        assert.deepEqual(payloads(received), [{ region: "US" }]);
        assert.equal((await queue.browse()).messages.length, 2);
      });

      test("shouldLimitTheHandlersByTheCredit", async () => {
        const queue = (await open({ encoding })).queue(name("credit"));
        await publish(queue, "1", "2", "3", "4");
        const gate = deferred();
        const { consumer, received } = await consume(queue, { credit: 0 }, () => gate.promise);
        const idle = await queue.browse();
        assert.equal(idle.messages.length, 4);
        assert.deepEqual(received, []);
        consumer.setCredit(2);
        await until("two are delivered", () => received.length === 2);
        consumer.setCredit(3);
        await until("three are delivered", () => received.length === 3);
        gate.resolve();
        await until("all are delivered", () => received.length === 4);
        await consumer.close();
        assert.deepEqual(payloads(received), ["1", "2", "3", "4"]);
      });

      test("shouldStoreARepeatedPublishOnce", async () => {
        const client = await open({ encoding, WebSocket: LossyWebSocket });
        const queue = client.queue(name("once"));
        const states = [];
        client.on("state", ({ status }) => states.push(status));
        LossyWebSocket.losses = 1;
        await queue.publish("once", { id: "order-1" });
        assert.equal(LossyWebSocket.losses, 0);
        assert.ok(states.includes("connecting"), String(states));
        await queue.publish("once", { id: "order-1" });
        await queue.publish("other", { id: "order-2" });
        assert.deepEqual(payloads((await queue.browse()).messages), ["once", "other"]);
      });
    });
  }

  for (const encoding of ["binary", "json"]) {
    const name = (last) => `sdk.${encoding}.${last}`;

    describe(`full duplex in ${encoding}`, () => {
      test("shouldReplyToRequests", async () => {
        const server = await open({ encoding });
        const quotes = name("quotes");
        const errors = [];
        const consumer = await server.serve(
          quotes,
          ({ payload, correlationId }) => {
            assert.equal(typeof correlationId, "string");
            if (payload === "bytes") return Uint8Array.of(0, 255);
            const options = { body: "map", messageType: "quote", properties: { region: "EU" } };
            return payload === "map" ? { payload: { bid: 1.5 }, options } : { echo: payload };
          },
          { credit: 10, onError: ({ code }) => errors.push(code) },
        );
        await until("it serves", () => consumer.state.status === "consuming");
        const client = await open({ encoding });
        const ask = (payload, options) => client.queue(quotes).request(payload, options);
        const [text, bytes, map] = await Promise.all([
          ask("text", { reply: "json" }),
          ask("bytes"),
          ask("map"),
        ]);
        assert.deepEqual(text.payload, { echo: "text" });
        assert.deepEqual(bytes.payload, Uint8Array.of(0, 255));
        assert.deepEqual(map.payload, { bid: 1.5 });
        assert.equal(map.messageType, "quote");
        assert.deepEqual(map.properties, { region: "EU" });
        const unanswered = client.queue(name("nobody")).request("x", { timeout: 200 });
        await assert.rejects(unanswered, { code: "timeout" });
        await consumer.close();
        assert.deepEqual(errors, []);
        assert.deepEqual((await server.queue(quotes).browse()).messages, []);
      });

      test("shouldKeepTheMessagesOfADurableSubscription", async () => {
        const client = await open({ encoding });
        const durable = client.durable(name("durable.*"), "desk-1");
        const where = "region = 'EU'";
        const first = await consume(durable, { where });
        await first.consumer.close();
        const topic = name("durable.a");
        for (const region of ["EU", "US", "EU"]) {
          await client.publish(topic, region, { properties: { region } });
        }
        const infos = (await client.durables()).filter((info) => info.topic === durable.topic);
        assert.equal(infos.length, 1);
        assert.equal(infos[0].name, "desk-1");
        assert.equal(infos[0].where, where);
        const other = await consume(durable, { where: "region = 'US'" });
        assert.deepEqual(other.errors, ["subscription-exists"]);
        await other.consumer.close();
        const second = await consume(durable, { where, credit: 10 });
        await until("all are delivered", () => second.received.length === 2);
        assert.deepEqual(payloads(second.received), ["EU", "EU"]);
        assert.deepEqual([second.received[0].topic, second.received[0].queue], [topic, undefined]);
        await assert.rejects(durable.delete(), { code: "subscription-in-use" });
        await second.consumer.close();
        await durable.delete();
        await assert.rejects(durable.delete(), { code: "unknown-subscription" });
      });

      test("shouldDistributeTheMessagesOfASharedSubscription", async () => {
        const [one, two] = [await open({ encoding }), await open({ encoding })];
        const topic = name("shared");
        const consumers = [
          await consume(one.shared(topic, "workers")),
          await consume(two.shared(topic, "workers")),
        ];
        const sent = ["1", "2", "3", "4"];
        for (const payload of sent) await one.publish(topic, payload);
        const all = () => consumers.flatMap(({ received }) => payloads(received)).sort();
        await until("all are delivered", () => all().length === sent.length);
        for (const { consumer } of consumers) await consumer.close();
        assert.deepEqual(all(), sent);
      });

      test("shouldCommitAllOrNothing", async () => {
        const client = await open({ encoding });
        const orders = client.queue(name("orders"));
        const fills = client.queue(name("fills"));
        await publish(orders, "1", "2", "3");
        const { consumer, received } = await consume(orders, { ack: "manual", credit: 3 });
        await until("all are delivered", () => received.length === 3);
        const refused = client.transaction((transaction) => {
          transaction.publish({ queue: fills.name }, "none");
          transaction.publish({ queue: "forbidden" }, "none");
          transaction.ack(received[0]);
        });
        await assert.rejects(refused, { code: "forbidden" });
        await client.transaction((transaction) => {
          transaction.publish({ queue: fills.name }, { fill: 1 });
          transaction.ack(received[1], { upTo: true });
        });
        await assert.rejects(received[0].ack(), { code: "not-pending" });
        await received[2].ack();
        await client.transaction((transaction) => {
          transaction.publish({ queue: fills.name }, "without acknowledgements");
        });
        await consumer.close();
        assert.deepEqual((await orders.browse()).messages, []);
        assert.deepEqual(payloads((await fills.browse()).messages), [
          '{"fill":1}',
          "without acknowledgements",
        ]);
      });

      test("shouldSelectMessagesOfATopic", async () => {
        const client = await open({ encoding });
        const topic = name("selected");
        const received = { eu: [], us: [], all: [] };
        const subscribe = (into, where) =>
          client.subscribe(topic, ({ payload }) => received[into].push(payload), { where });
        const subscriptions = [
          subscribe("eu", "region = 'EU'"),
          subscribe("us", "region = 'US'"),
          subscribe("all", undefined),
        ];
        await until("all are live", () =>
          subscriptions.every(({ state }) => state.status === "live"),
        );
        for (const region of ["EU", "US", "EU"]) {
          await client.publish(topic, region, { properties: { region } });
        }
        await until("all are received", () => received.all.length + received.eu.length === 5);
        await until("the last is received", () => received.us.length === 1);
        assert.deepEqual(received, { eu: ["EU", "EU"], us: ["US"], all: ["EU", "US", "EU"] });
        const errors = [];
        client.subscribe(
          topic,
          { onMessage: () => undefined, onError: ({ code }) => errors.push(code) },
          { where: "region = " },
        );
        await until("it is refused", () => errors.length === 1);
        assert.deepEqual(errors, ["invalid-selector"]);
        for (const subscription of subscriptions) subscription.unsubscribe();
      });
    });
  }

  test("shouldListAndDeleteAndCommitOverHttp", async () => {
    const client = await open();
    const durable = client.durable("sdk.http.topic", "desk-1");
    const queue = client.queue("sdk.http.queue");
    const { consumer } = await consume(durable);
    await consumer.close();
    const http = await open({ transports: ["http"] });
    assert.ok((await http.durables()).some(({ topic }) => topic === durable.topic));
    await http.transaction((transaction) => {
      transaction.publish({ queue: queue.name }, "over HTTP");
    });
    await http.durable(durable.topic, durable.name).delete();
    assert.deepEqual(payloads((await queue.browse()).messages), ["over HTTP"]);
    await assert.rejects(http.request(durable.topic, "x"), { code: "unsupported" });
  });

  test("shouldPermitAPrivateQueueOnlyToItsUser", async () => {
    const bob = await open({ token: () => issuer.token("bob", LIFE_MS) });
    await bob.queue("inbox.ann").publish("for ann");
    const refused = await consume(bob.queue("inbox.ann"));
    assert.equal(refused.consumer.state.status, "refused");
    assert.deepEqual(refused.errors, ["forbidden"]);
    const { consumer, received } = await consume((await open()).queue("inbox.ann"));
    await until("it is delivered", () => received.length === 1);
    await consumer.close();
    assert.deepEqual(payloads(received), ["for ann"]);
  });

  test("shouldResumeAfterTheNodeWasKilled", async () => {
    // The client returns when the node is ready, however long a busy machine needs to start it.
    const backoff = { minBackoff: 600_000, maxBackoff: 600_000, random: () => 0.99 };
    const client = await open({ publishTimeout: 110_000, ...backoff });
    const queue = client.queue("sdk.killed");
    await publish(queue, "1", "2");
    const gate = deferred();
    const { consumer, received, errors } = await consume(queue, {}, () => gate.promise);
    await until("the first is delivered", () => received.length === 1);
    await gateway.stop("SIGKILL");
    await until("the loss is reported", () => client.state.status === "connecting");
    assert.equal(received[0].signal.aborted, true);
    const offline = [queue.publish("3"), queue.publish("4", { id: "offline-4" })];
    await until("both are queued", () => client.pendingPublishes.length === 2);
    await gateway.start();
    client.retryNow();
    await Promise.all(offline);
    gate.resolve();
    await until("all are delivered", () => received.length >= 5);
    await consumer.close();
    assert.deepEqual(payloads(received).slice(1), ["1", "2", "3", "4"]);
    assert.equal(received[1].redelivered, true);
    assert.deepEqual(errors, ["not-pending"]);
    assert.deepEqual((await queue.browse()).messages, []);
  });
});
