import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { ConsumeOptions, Delivery, SluiceError } from "../src/index.js";
import { answerConsume, deliver, FEATURES, openAt, type Scene } from "./full-duplex.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { isSluiceError, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

describe("durable and shared subscriptions", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  async function consume(
    { client, session }: Scene,
    kind: "durable" | "shared",
    options: ConsumeOptions = {},
  ) {
    const received: Delivery[] = [];
    const errors: SluiceError[] = [];
    const consumer = await client[kind]("orders.*", "desk-1").consume(
      (delivery) => received.push(delivery),
      { onError: (error) => errors.push(error), ...options },
    );
    const frame = await answerConsume(session);
    await until("consuming", () => consumer.state.status === "consuming");
    return { consumer, received, errors, ref: frame.ref, frame };
  }

  for (const kind of ["durable", "shared"] as const) {
    test(`shouldConsumeA ${kind} Subscription`, async () => {
      const scene = await openAt(nodes);
      const where = "region = 'EU'";
      const { received, ref, frame } = await consume(scene, kind, { credit: 20, where });
      const members = { topic: "orders.*", [kind]: "desk-1", credit: 20, where };
      assert.deepEqual(frame, { ref, ...members });
      deliver(scene.session, ref, 1, { topic: "orders.eu" });
      const ack = await scene.session.next("ack");
      scene.session.send({ type: "settled", ref: ack.ref, subscription: ref });
      assert.deepEqual([received[0]?.topic, received[0]?.queue], ["orders.eu", undefined]);
      deliver(scene.session, ref, 2);
      await until("delivered", () => received.length === 2);
      assert.equal(received[1]?.topic, "orders.*");
    });

    test(`shouldRefuseA ${kind} SubscriptionWithoutTheFeature`, async () => {
      const { client } = await openAt(
        nodes,
        FEATURES.filter((feature) => feature !== kind),
      );
      const errors: SluiceError[] = [];
      const consumer = await client[kind]("a", "b").consume(() => undefined, {
        onError: (error) => errors.push(error),
      });
      assert.equal(consumer.state.status, "refused");
      assert.deepEqual(
        errors.map(({ code, topic }) => [code, topic]),
        [["unsupported", "a"]],
      );
    });

    test(`shouldMoveTheConsumerOfA ${kind} Subscription`, async () => {
      const scene = await openAt(nodes);
      const { ref } = await consume(scene, kind);
      nodes.drain(scene.session);
      const next = await nodes.other.session();
      next.hello({ node: "gw-2", features: FEATURES });
      const { ref: number, ...members } = await answerConsume(next);
      assert.deepEqual(members, { topic: "orders.*", [kind]: "desk-1", credit: 1 });
      const credit = await scene.session.next("credit");
      assert.deepEqual([credit["subscription"], credit["credit"]], [ref, 0]);
      await until("the old connection is closed", () => scene.session.closeCode === 1000);
      assert.ok(number > 0);
    });
  }

  test("shouldReportTheErrorsOfTheNode", async () => {
    const { client, session } = await openAt(nodes);
    const errors: SluiceError[] = [];
    const consumer = await client.durable("a", "b").consume(() => undefined, {
      onError: (error) => errors.push(error),
    });
    const { ref } = await session.next("consume");
    const error = { code: "subscription-exists", message: "with another selector", topic: "a" };
    session.send({ type: "error", ref, ...error });
    await until("refused", () => consumer.state.status === "refused");
    assert.deepEqual(
      errors.map(({ code, topic, queue }) => [code, topic, queue]),
      [["subscription-exists", "a", undefined]],
    );
  });

  test("shouldReportThatASharedSubscriptionMayMissMessages", async () => {
    const scene = await openAt(nodes);
    const shared = await consume(scene, "shared");
    const durable = await consume(scene, "durable");
    for (const { ref } of [shared, durable]) {
      scene.session.send({ type: "released", ref, reason: "broker-lost" });
    }
    await until("reported", () => shared.errors.length === 1);
    assert.equal(shared.errors[0]?.code, "messages-missing");
    deliver(scene.session, durable.ref, 1);
    await until("delivered", () => durable.received.length === 1);
    assert.deepEqual(durable.errors, []);
  });

  test("shouldServeRequestsOfASubscription", async () => {
    const { client, session } = await openAt(nodes);
    await client.shared("quotes", "servers").serve(() => "reply");
    const { ref } = await answerConsume(session);
    deliver(session, ref, 1, { replyTo: { queue: "replies" } });
    const respond = await session.next("respond");
    session.send({ type: "published", ref: respond.ref });
    await session.next("ack");
  });

  test("shouldListAndDeleteOneAtATime", async () => {
    const { client, session } = await openAt(nodes);
    const listing = client.durables();
    const deleting = client.durable("a", "b").delete();
    const { ref } = await session.next("list");
    assert.equal(session.count("delete"), 0);
    const where = "region = 'EU'";
    const subscriptions = [
      { topic: "a", durable: "b", where, messages: 12, consumers: 1 },
      { topic: "c", durable: "d" },
    ];
    session.send({ type: "listed", ref, subscriptions, more: true });
    const unknown = { where: undefined, messages: undefined, consumers: undefined };
    const list = await listing;
    assert.equal(list.more, true);
    assert.deepEqual(list, [
      { topic: "a", name: "b", where, messages: 12, consumers: 1 },
      { topic: "c", name: "d", ...unknown },
    ]);
    const { ref: number, ...frame } = await session.next("delete");
    assert.deepEqual(frame, { type: "delete", topic: "a", durable: "b" });
    session.send({ type: "deleted", ref: number, topic: "a", durable: "b" });
    await deleting;
  });

  test("shouldRejectAListAndADeleteThatFail", async () => {
    const { client, session } = await openAt(nodes);
    const deleting = client.durable("a", "b").delete();
    const { ref } = await session.next("delete");
    session.send({ type: "error", ref, code: "subscription-in-use", message: "in use" });
    await assert.rejects(deleting, isSluiceError("subscription-in-use"));
    const listing = client.durables();
    const list = await session.next("list");
    session.send({ type: "listed", ref: list.ref, subscriptions: [{ topic: "a" }] });
    await assert.rejects(listing, isSluiceError("bad-answer"));
    const lost = client.durables();
    await session.next("list");
    session.cut();
    await assert.rejects(lost, isSluiceError("connection-lost"));
    await assert.rejects(client.durables(), isSluiceError("connection-lost"));
  });

  test("shouldRejectInvalidNames", async () => {
    const { client } = await openAt(nodes);
    for (const [topic, name] of [
      ["a..b", "c"],
      ["a", ""],
      ["a", "b c"],
      ["a", "x".repeat(65)],
    ] as const) {
      await assert.rejects(client.durable(topic, name).delete(), isSluiceError("invalid-argument"));
      const consuming = client.shared(topic, name).consume(() => undefined);
      await assert.rejects(consuming, isSluiceError("invalid-argument"));
    }
  });

  test("shouldBeUnsupportedByAnOlderNode", async () => {
    const { client } = await openAt(nodes, []);
    await assert.rejects(client.durables(), isSluiceError("unsupported"));
    await assert.rejects(client.durable("a", "b").delete(), isSluiceError("unsupported"));
  });

  test("shouldListAndDeleteOverHttpButNotConsume", async () => {
    const gateway = await ScriptedGateway.start();
    gateway.onStream = (stream) => {
      stream.hello({ features: FEATURES });
    };
    const client = nodes.open({ transports: ["http"] }, gateway.url);
    await until("open", () => client.state.status === "open");
    const durable = client.durable("a", "b");
    const deleting = durable.delete();
    const request = await gateway.publishRequest();
    request.hello({ features: FEATURES });
    const { ref } = await request.next("delete");
    request.send({ type: "deleted", ref, topic: "a", durable: "b" });
    request.close(1000);
    await deleting;
    const listing = client.durables();
    const cut = await gateway.publishRequest();
    cut.cut();
    await assert.rejects(listing, isSluiceError("connection-lost"));
    const consumer = await durable.consume(() => undefined, { onError: () => undefined });
    assert.equal(consumer.state.status, "refused");
    client.close();
    await gateway.stop();
  });
});
