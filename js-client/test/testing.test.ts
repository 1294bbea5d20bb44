import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  connect,
  type ConnectOptions,
  type Message,
  type Client,
  type SubscribeOptions,
} from "../src/index.js";
import {
  createTestBroker,
  createTestClock,
  type TestBroker,
  type TestNode,
} from "../src/testing.js";
import { isSluiceError, until } from "./support.js";

/** Everything that a subscription reports; gaps are in brackets. */
interface Received {
  readonly texts: string[];
  readonly messages: Message[];
  readonly errors: string[];
}

function observe(client: Client, topic: string, options?: SubscribeOptions): Received {
  const received: Received = { texts: [], messages: [], errors: [] };
  client.subscribe(
    topic,
    {
      onMessage: (message) => {
        received.messages.push(message);
        received.texts.push(String(message.payload));
      },
      onGap: ({ reason }) => received.texts.push(`[${reason}]`),
      onError: ({ code }) => received.errors.push(code),
    },
    options,
  );
  return received;
}

describe("test broker", () => {
  let broker: TestBroker;
  let node: TestNode;

  beforeEach(() => {
    broker = createTestBroker();
    node = broker.node();
  });

  afterEach(() => {
    broker.close();
  });

  /** Connects a client whose errors are not logged. */
  function open(options?: ConnectOptions): Client {
    const client = node.connect(options);
    client.on("error", () => undefined);
    return client;
  }

  test("shouldConnectByUrlAndOptions", async () => {
    const client = connect(node.url, { ...node.options, encoding: "json" });
    const { texts } = observe(client, "stocks.*");
    await broker.idle();
    broker.publish("stocks.7", { price: 1 }, { properties: { region: "EU" } });
    await broker.idle();
    assert.equal(client.state.status, "open");
    assert.deepEqual(texts, ['{"price":1}']);
    client.close();
    await broker.idle();
    assert.deepEqual(node.connections, []);
  });

  test("shouldHaveHistoryBeforeTheFirstSubscription", async () => {
    for (const text of ["1", "2", "3"]) broker.publish("a", text);
    broker.publish("b", "", { removed: true });
    const snapshot = observe(open(), ">", { from: "snapshot" });
    const latest = observe(open(), "a", { from: { last: 2 } });
    await broker.idle();
    assert.deepEqual(snapshot.texts, ["3"]);
    assert.deepEqual(latest.texts, ["2", "3"]);
    assert.ok(latest.messages.every(({ replayed }) => replayed));
  });

  test("shouldEvictMessagesBeyondItsHistory", async () => {
    broker.close();
    broker = createTestBroker({ history: 2 });
    node = broker.node();
    for (const text of ["1", "2", "3"]) broker.publish("a", text);
    const received = observe(open(), "a", { from: { last: 10 } });
    await broker.idle();
    node.cutConnections();
    node.refuseConnections();
    for (const text of ["4", "5", "6"]) broker.publish("a", text);
    node.acceptConnections();
    await until("it is back", () => received.texts.includes("6"));
    assert.deepEqual(received.texts, ["2", "3", "[not-recovered]", "6"]);
  });

  test("shouldCarryMetadataInBothEncodings", async () => {
    const clients = [open({ encoding: "json" }), open({ encoding: "binary" })];
    const all = clients.flatMap((client) => [observe(client, "a.b"), observe(client, "a.>")]);
    await broker.idle();
    const id = "9e3779b97f4a7c15";
    const time = Date.now() - 5_000;
    const properties = { symbol: "ACME" };
    broker.publish("a.b", Uint8Array.of(0, 255), { id, properties, time });
    broker.publish("a.b", "", { removed: true });
    await broker.idle();
    const [first, ...others] = all.map(({ messages }) =>
      messages.map((message) => ({ ...message, pattern: undefined, ageUncertainty: 0 })),
    );
    assert.equal(first?.[0]?.id, id);
    assert.equal(first[0].time, time);
    assert.deepEqual(first[0].properties, properties);
    assert.equal(first[1]?.removed, true);
    for (const other of others) assert.deepEqual(other, first);
  });

  test("shouldReportAnOutageOfTheBroker", async () => {
    const client = open();
    const received = observe(client, "a");
    const states: string[] = [];
    client.on("state", ({ status }) => states.push(status));
    await broker.idle();
    broker.stop();
    const late = observe(client, "late");
    await broker.idle();
    assert.throws(() => {
      broker.publish("a", "offline");
    }, isSluiceError("broker-unavailable"));
    broker.start();
    broker.publish("a", "after");
    broker.publish("late", "too");
    await broker.idle();
    assert.deepEqual(states, ["open", "stale", "open"]);
    assert.deepEqual(received.texts, ["[broker-lost]", "after"]);
    assert.deepEqual(late.texts, ["too"]);
  });

  test("shouldReportLostMessagesAtOneNodeOnly", async () => {
    const other = broker.node("other");
    const here = observe(open(), "a");
    const there = observe(other.connect(), "a");
    await broker.idle();
    node.loseMessages("a");
    node.loseMessages("a", "too-large");
    broker.publish("a", "1");
    await broker.idle();
    assert.deepEqual(here.texts, ["[overload]", "[too-large]", "1"]);
    assert.deepEqual(there.texts, ["1"]);
  });

  test("shouldNotRecoverAPositionBeforeALoss", async () => {
    const received = observe(open(), "a");
    await broker.idle();
    node.cutConnections();
    await broker.idle();
    node.loseMessages("a");
    broker.publish("a", "1");
    await until("it is back", () => received.texts.length === 2);
    assert.deepEqual(received.texts, ["[not-recovered]", "1"]);
  });

  test("shouldResumeAfterASlowConsumerWasClosed", async () => {
    const client = open();
    const received = observe(client, "a");
    const ends: unknown[] = [];
    client.on("state", (state) => {
      if (state.status === "connecting") ends.push(state.lastEnd?.code);
    });
    await broker.idle();
    broker.publish("a", "in flight");
    node.closeSlowConsumers();
    await until("it is back", () => received.texts.length === 1);
    assert.equal(ends[0], 4000);
    assert.deepEqual(received.texts, ["in flight"]);
  });

  test("shouldReconnectWhenConnectionsAreAcceptedAgain", async () => {
    node.refuseConnections();
    const client = open();
    await broker.idle();
    assert.equal(client.state.status, "connecting");
    assert.equal((client.state as { failures: number }).failures, 1);
    node.acceptConnections();
    client.retryNow();
    await broker.idle();
    assert.equal(client.state.status, "open");
  });

  test("shouldCloseWithAnyCode", async () => {
    const client = open();
    await broker.idle();
    node.closeConnections(4204, "revoked");
    await broker.idle();
    assert.equal(client.state.status, "closed");
  });

  test("shouldMoveClientsOfADrainingNode", async () => {
    const other = broker.node();
    const client = open();
    const received = observe(client, "a");
    const moves: unknown[] = [];
    client.on("moved", (move) => moves.push(move));
    await broker.idle();
    node.drain({ to: other });
    broker.publish("a", "1");
    await until("it has moved", () => moves.length === 1);
    broker.publish("a", "2");
    await broker.idle();
    assert.deepEqual(moves, [{ from: "node-1", to: "node-2" }]);
    assert.deepEqual(received.texts, ["1", "2"]);
    assert.equal(node.connections.length, 0);
    assert.equal(other.connections.length, 1);
  });

  test("shouldRedirectNewAndCurrentClients", async () => {
    const other = broker.node();
    const current = open();
    const moves: unknown[] = [];
    current.on("moved", (move) => moves.push(move));
    await broker.idle();
    node.redirectTo(other);
    const fresh = open();
    await until("both are there", () => other.connections.length === 2);
    await until("the move is reported", () => moves.length === 1);
    await broker.idle();
    assert.equal((fresh.state as { hello: { node: string } }).hello.node, "node-2");
    node.redirectTo(undefined);
    open();
    await broker.idle();
    assert.equal(node.connections.length, 1);
  });

  test("shouldForbidAndPermitTopics", async () => {
    const client = open();
    const active = observe(client, "stocks.7");
    await broker.idle();
    const permit = node.forbid("stocks.>");
    const refused = observe(client, "stocks.8");
    const permitted = observe(client, "orders");
    await assert.rejects(client.publish("stocks.7", "x"), isSluiceError("forbidden"));
    assert.deepEqual([active.errors, refused.errors], [["forbidden"], ["forbidden"]]);
    permit();
    await client.publish("stocks.7", "x");
    assert.deepEqual(permitted.errors, []);
    node.forbid("busy", "too-many-topics");
    const busy = observe(client, "busy");
    await broker.idle();
    assert.deepEqual(busy.errors, ["too-many-topics"]);
  });

  test("shouldExpireTokens", async () => {
    let serial = 1;
    const tokens = (): unknown[] => node.connections.map(({ token }) => token);
    const client = open({ token: () => `token-${String(serial)}` });
    const permanent = open({ token: "fixed" });
    await broker.idle();
    assert.deepEqual(tokens(), ["token-1", "fixed"]);
    serial = 2;
    broker.expireTokens();
    await broker.idle();
    await until("it is back", () => client.state.status === "open");
    assert.deepEqual(tokens(), ["token-2"]);
    assert.equal(permanent.state.status, "closed");
  });

  test("shouldRefuseTokens", async () => {
    broker.close();
    broker = createTestBroker({ authenticate: (token) => token === "good" });
    node = broker.node();
    const clients = [open({ token: "good" }), open({ token: "bad" }), open()];
    await broker.idle();
    const states = clients.map(({ state }) => state.status);
    assert.deepEqual(states, ["open", "closed", "closed"]);
    const { state } = clients[1] ?? {};
    assert.equal((state as { error: { code: string } }).error.code, "unauthorized");
  });

  test("shouldSendScriptedFrames", async () => {
    const client = open();
    const errors: string[] = [];
    client.on("error", ({ code }) => errors.push(code));
    await broker.idle();
    const [connection] = node.connections;
    connection?.send({ type: "unknown" });
    connection?.send({ type: "gap" });
    await broker.idle();
    assert.deepEqual(errors, ["bad-answer"]);
  });

  test("shouldEnforceLimits", async () => {
    broker.close();
    broker = createTestBroker({ limits: { subscriptions: 1, topicLength: 5, topicDepth: 2 } });
    node = broker.node();
    const client = open();
    const all = ["a", "b", "abcdef", "a.b.c"].map((topic) => observe(client, topic));
    await broker.idle();
    assert.deepEqual(
      all.map(({ errors }) => errors[0]),
      [undefined, "too-many-subscriptions", "topic-too-long", "topic-too-deep"],
    );
  });

  test("shouldRecordMessagesOfClients", async () => {
    const client = open();
    await client.publish("chat.1", "hello", { properties: { a: 1 } });
    await client.publish("chat.2", { text: "hi" });
    const [first, second] = broker.messages("chat.*");
    assert.equal(first?.payload, "hello");
    assert.deepEqual(first.properties, { a: 1 });
    assert.equal(second?.payload, '{"text":"hi"}');
    assert.deepEqual(broker.messages("other"), []);
  });

  test("shouldScriptQueues", async () => {
    const orders = broker.queue("orders");
    orders.publish("1");
    const client = open();
    const taken: string[] = [];
    const consumer = await client.queue("orders").consume(
      ({ payload, redelivered }) => {
        taken.push(`${String(payload)} ${String(redelivered)}`);
      },
      { ack: "manual" },
    );
    await broker.idle();
    orders.takeBack();
    await broker.idle();
    assert.deepEqual(taken, ["1 false", "1 true"]);
    await consumer.close();
    assert.deepEqual(
      orders.messages.map(({ payload }) => payload),
      ["1"],
    );
  });

  test("shouldDeliverQueuesAgainAfterAnOutage", async () => {
    const orders = broker.queue("orders");
    orders.publish("1");
    const taken: unknown[] = [];
    const consumer = await open()
      .queue("orders")
      .consume(({ redelivered }) => taken.push(redelivered), { ack: "manual" });
    await broker.idle();
    broker.stop();
    await broker.idle();
    assert.deepEqual(taken, [false]);
    broker.start();
    await broker.idle();
    assert.deepEqual(taken, [false, true]);
    assert.equal(consumer.state.status, "consuming");
  });

  test("shouldMoveAMessageToTheDeadLetterQueueAfterItsLastAttempt", async () => {
    broker.close();
    broker = createTestBroker({ maxDeliveries: 2 });
    node = broker.node();
    broker.queue("orders").publish("1");
    let attempts = 0;
    await open()
      .queue("orders")
      .consume(() => {
        attempts++;
        throw new Error("never");
      });
    await broker.idle();
    assert.equal(attempts, 2);
    assert.equal(broker.queue("DLQ").messages[0]?.payload, "1");
  });

  test("shouldDistributeMessagesAmongConsumers", async () => {
    const taken: string[] = [];
    for (const name of ["a", "b"]) {
      const client = open();
      await client.queue("work").consume(() => taken.push(name));
    }
    await broker.idle();
    for (let i = 0; i < 4; i++) broker.queue("work").publish(String(i));
    await broker.idle();
    assert.deepEqual(taken.sort(), ["a", "a", "b", "b"]);
  });

  test("shouldEndForbiddenConsumers", async () => {
    const consumer = await open()
      .queue("orders")
      .consume(() => undefined);
    await broker.idle();
    node.forbid("orders");
    await broker.idle();
    assert.equal(consumer.state.status, "refused");
  });

  test("shouldRejectInvalidArguments", () => {
    const calls = [
      () => createTestBroker({ history: 0 }),
      () => createTestBroker({ history: 1_000_001 }),
      () => createTestBroker({ maxDeliveries: 0 }),
      () => createTestBroker({ maxDeliveries: 1_001 }),
      () => createTestBroker({ tokenLifetime: 2 ** 31 }),
      () => createTestBroker({ authenticate: 7 as never }),
      () => createTestClock(-1),
      () => broker.node("node-1"),
      () => broker.node("Not a name"),
      () => {
        broker.publish("a.*", "x");
      },
      () => {
        broker.publish("a", "x", { id: "1" });
      },
      () => {
        broker.publish("a", "x", { color: 1 } as object);
      },
      () => {
        node.loseMessages("a", "bored");
      },
      () => node.forbid(""),
      () => broker.respond({ topic: "a" }, 7 as never),
    ];
    for (const call of calls) assert.throws(call, isSluiceError("invalid-argument"));
  });
});
