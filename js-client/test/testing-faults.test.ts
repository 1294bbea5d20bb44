import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Delivery, MessageSource, Client } from "../src/index.js";
import {
  createTestBroker,
  createTestClock,
  type TestBroker,
  type TestClock,
  type TestNode,
} from "../src/testing.js";
import { isSluiceError } from "./support.js";

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (error as { readonly code: string }).code,
  );

describe("faults of the test broker", () => {
  let clock: TestClock;
  let broker: TestBroker;
  let node: TestNode;

  beforeEach(() => {
    clock = createTestClock();
    broker = createTestBroker({ clock, authenticate: (token) => token ?? true });
    node = broker.node();
  });

  afterEach(() => {
    broker.close();
  });

  function open(token?: string): Client {
    const client = node.connect(token === undefined ? {} : { token });
    client.on("error", () => undefined);
    return client;
  }

  async function consume(source: MessageSource): Promise<Delivery[]> {
    const received: Delivery[] = [];
    await source.consume((delivery) => received.push(delivery), { ack: "manual", credit: 10 });
    await broker.idle();
    return received;
  }

  const texts = (received: readonly { readonly payload: unknown }[]): unknown[] =>
    received.map(({ payload }) => payload);

  /** Consumes an order, and replaces it by a fill in a transaction. */
  async function fill(): Promise<{ readonly received: Delivery[]; readonly code: string }> {
    const client = open();
    broker.queue("orders").publish("order");
    const received = await consume(client.queue("orders"));
    const [order] = received;
    assert.ok(order);
    const committing = client.transaction((transaction) => {
      transaction.ack(order);
      transaction.publish({ queue: "fills" }, "fill");
    });
    const code = await codeOf(committing);
    await clock.advance(1_000);
    client.close();
    await broker.idle();
    return { received, code };
  }

  const fills = (): number => broker.queue("fills").messages.length;

  test("shouldRefuseATransaction", async () => {
    broker.failTransaction();
    const { received, code } = await fill();
    assert.deepEqual([code, fills()], ["transaction-failed", 0]);
    assert.deepEqual(
      received.map(({ redelivered }) => redelivered),
      [false, true],
    );
    const next = open().transaction((transaction) => {
      transaction.publish({ queue: "fills" }, "fill");
    });
    assert.equal(await codeOf(next), "resolved");
  });

  test("shouldLeaveTheOutcomeOfATransactionUnknown", async () => {
    broker.failTransaction({ cut: true, stored: true });
    const stored = await fill();
    assert.deepEqual([stored.code, fills()], ["connection-lost", 1]);
    assert.deepEqual(texts(stored.received), ["order"]);
    broker.failTransaction({ cut: true });
    const lost = await fill();
    assert.deepEqual([lost.code, fills()], ["connection-lost", 1]);
    assert.deepEqual(texts(lost.received), ["order", "order"]);
  });

  test("shouldFailATransactionThatTheBrokerHasStored", async () => {
    broker.failTransaction({ stored: true, message: "no answer in time" });
    const { received, code } = await fill();
    assert.deepEqual([code, fills(), received.length], ["transaction-failed", 1, 1]);
  });

  test("shouldExpireADurableSubscription", async () => {
    const durable = await broker.durable("orders.*", "desk-1");
    assert.equal(durable.exists, false);
    const client = open();
    await consume(client.durable("orders.*", "desk-1"));
    assert.equal(durable.exists, true);
    assert.throws(() => {
      durable.expire();
    }, isSluiceError("subscription-in-use"));
    client.close();
    await broker.idle();
    broker.publish("orders.eu", "missed");
    assert.deepEqual(texts(durable.messages), ["missed"]);
    durable.expire();
    durable.expire();
    const received = await consume(open().durable("orders.*", "desk-1"));
    broker.publish("orders.eu", "next");
    await broker.idle();
    assert.deepEqual(texts(received), ["next"]);
    durable.takeBack();
    await broker.idle();
    assert.deepEqual(texts(received), ["next", "next"]);
  });

  test("shouldOverflowADurableSubscription", async () => {
    const client = open();
    const received = await consume(client.durable("orders.*", "desk-1"));
    const durable = await broker.durable("orders.*", "desk-1");
    const end = durable.overflow("drop");
    await client.publish("orders.eu", "dropped");
    end();
    const endRefusal = durable.overflow("refuse");
    assert.equal(await codeOf(client.publish("orders.eu", "refused")), "publish-failed");
    const committing = client.transaction((transaction) => {
      transaction.publish("other", "1");
      transaction.publish("orders.eu", "2");
    });
    await assert.rejects(committing, /publish 2: durable subscription desk-1 is full/);
    assert.throws(() => {
      broker.publish("orders.eu", "refused");
    }, isSluiceError("publish-failed"));
    await client.publish("other", "accepted");
    endRefusal();
    await client.publish("orders.eu", "accepted");
    await broker.idle();
    assert.deepEqual(texts(received), ["accepted"]);
    assert.throws(() => durable.overflow("burst" as never), isSluiceError("invalid-argument"));
  });

  test("shouldSeparateTheSubscriptionsOfSubjects", async () => {
    const [ann, bob] = [open("ann"), open("bob")];
    await consume(ann.durable("orders.*", "desk-1"));
    assert.equal((await bob.durables()).length, 0);
    assert.deepEqual(
      (await ann.durables()).map(({ name }) => name),
      ["desk-1"],
    );
    assert.equal((await broker.durable("orders.*", "desk-1", "ann")).exists, true);
    assert.equal((await broker.durable("orders.*", "desk-1")).exists, false);
    const code = await codeOf(bob.durable("orders.*", "desk-1").delete());
    assert.equal(code, "unknown-subscription");
    const consuming = Array.from({ length: 11 }, (_, at) =>
      consume(bob.durable("orders.*", `desk-${String(at)}`)),
    );
    assert.equal((await Promise.allSettled(consuming)).length, 11);
    assert.equal((await bob.durables()).length, 10);
  });

  test("shouldLoseTheMessagesOfASharedSubscriptionWithTheBroker", async () => {
    const client = open();
    const received = await consume(client.shared("jobs", "workers"));
    broker.publish("jobs", "before");
    await broker.idle();
    broker.stop();
    await broker.idle();
    assert.equal(received[0]?.signal.aborted, true);
    broker.start();
    broker.publish("jobs", "after");
    await broker.idle();
    assert.deepEqual(texts(received), ["before", "after"]);
  });

  test("shouldAddAndRemoveMembers", async () => {
    const room = await broker.presence("room.1");
    const presence = await open("ann").presence("room.1", { info: "Ann" });
    const bob = room.join("Bob", "bob");
    await broker.idle();
    const own = { id: presence.self, subject: "ann", info: "Ann" };
    assert.deepEqual(presence.members, [own, { id: bob.id, subject: "bob", info: "Bob" }]);
    assert.equal(room.members.length, 2);
    bob.update("away");
    room.partial = true;
    await broker.idle();
    assert.deepEqual([presence.members[1]?.info, presence.partial], ["away", true]);
    bob.leave();
    room.partial = false;
    await broker.idle();
    assert.deepEqual([presence.count, presence.partial, room.partial], [1, false, false]);
  });

  test("shouldTruncateTheMembers", async () => {
    const room = await broker.presence("room.1");
    const presence = await open().presence("room.1");
    const others = Array.from({ length: 100 }, (_, at) => room.join(at));
    await broker.idle();
    assert.deepEqual([presence.count, presence.members], [101, undefined]);
    const late = await open().presence("room.1", { enter: false });
    assert.deepEqual([late.count, late.members], [101, undefined]);
    others[0]?.leave();
    await broker.idle();
    assert.deepEqual([presence.members?.length, late.members?.length], [100, 100]);
  });

  test("shouldRemoveALostMemberAfterTheGraceTime", async () => {
    const room = await broker.presence("room.1");
    const client = open();
    await client.presence("room.1");
    node.cutConnections();
    await clock.advance(1_000);
    assert.equal(room.members.length, 1);
    node.refuseConnections();
    node.cutConnections();
    await clock.advance(9_999);
    assert.equal(room.members.length, 1);
    await clock.advance(1);
    assert.equal(room.members.length, 0);
    node.acceptConnections();
    await clock.advance(30_000);
    assert.equal(room.members.length, 1);
    client.close();
    await broker.idle();
    assert.equal(room.members.length, 0);
  });

  test("shouldRefusePresenceOrItsMembers", async () => {
    const client = open();
    const permit = node.forbid("room.*", "forbidden", "members");
    assert.equal(await codeOf(client.presence("room.1")), "forbidden");
    const counting = await client.presence("room.1", { members: false });
    assert.deepEqual([counting.count, counting.members], [1, undefined]);
    permit();
    const errors: string[] = [];
    client.on("error", ({ code }) => errors.push(code));
    node.forbid("room.*", "forbidden", "presence");
    await broker.idle();
    assert.deepEqual([counting.live, errors], [false, ["forbidden"]]);
    client.subscribe("room.1", () => undefined, {});
    await client.publish("room.1", "still permitted");
    assert.throws(() => node.forbid("a", "forbidden", "sing" as never));
  });

  test("shouldForbidDurableSubscriptionsOnly", async () => {
    node.forbid("orders.*", "forbidden", "durable");
    const client = open();
    const refused = client.durable("orders.*", "desk-1").consume(() => undefined);
    const shared = client.shared("orders.*", "desk").consume(() => undefined);
    await broker.idle();
    const states = (await Promise.all([refused, shared])).map(({ state }) => state.status);
    assert.deepEqual(states, ["refused", "consuming"]);
  });

  test("shouldWorkWithFakeTimers", async () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_763_700_000_000 });
    try {
      const other = createTestBroker({ presenceGrace: 500 });
      const own = other.node();
      const client = own.connect();
      const presence = await client.presence("room.1");
      const received: unknown[] = [];
      const onMessage = ({ payload }: { readonly payload: unknown }) => received.push(payload);
      client.subscribe("a", onMessage, { where: "price > 10" });
      await other.idle();
      for (const price of [10, 11]) other.publish("a", { price }, { properties: { price } });
      await other.idle();
      assert.deepEqual(received, ['{"price":11}']);
      own.refuseConnections();
      own.cutConnections();
      await other.idle();
      mock.timers.tick(500);
      await other.idle();
      assert.deepEqual((await other.presence("room.1")).members, []);
      assert.equal(presence.live, false);
      other.close();
    } finally {
      mock.timers.reset();
    }
  });
});
