import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Consumer, Delivery, SluiceError, Transaction } from "../src/index.js";
import { answerConsume, deliver, FEATURES, openAt, type Scene } from "./full-duplex.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { isSluiceError, LeapingClock, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

describe("transactions", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  /** Consumes a queue manually, with this number of delivered messages. */
  async function consume({ client, session }: Scene, queue: string, count: number) {
    const received: Delivery[] = [];
    const errors: SluiceError[] = [];
    const consumer: Consumer = await client
      .queue(queue)
      .consume((delivery) => received.push(delivery), {
        ack: "manual",
        credit: 10,
        onError: (error) => errors.push(error),
      });
    const { ref } = await answerConsume(session);
    for (let tag = 1; tag <= count; tag++) deliver(session, ref, tag);
    await until("delivered", () => received.length === count);
    return { consumer, received: received as [Delivery, Delivery, Delivery], errors, ref };
  }

  test("shouldPublishInTheOrderOfTheCalls", async () => {
    const { client, session } = await openAt(nodes);
    const value = { fill: 7 };
    const committing = client.transaction((transaction) => {
      transaction.publish({ queue: "fills" }, value, { priority: 9 });
      value.fill = 8;
      transaction.publish("audit.fills", Uint8Array.of(7));
      transaction.publish({ topic: "maps" }, { a: 1 }, { body: "map" });
    });
    const { ref, ...frame } = await session.next("transaction");
    assert.deepEqual(frame, {
      type: "transaction",
      publish: [
        { queue: "fills", payload: '{"fill":7}', priority: 9 },
        { topic: "audit.fills", payload: "Bw==", encoding: "base64" },
        { topic: "maps", payload: { a: 1 }, encoding: "json" },
      ],
    });
    session.send({ type: "committed", ref });
    await committing;
  });

  test("shouldAcknowledgeMessagesWhenItIsCommitted", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const { received, ref } = await consume(scene, "orders", 3);
    const [first, second, third] = received;
    const committing = client.transaction((transaction) => {
      transaction.publish("audit", "x");
      transaction.ack(second, { upTo: true });
    });
    const { ref: number, ...frame } = await session.next("transaction");
    assert.deepEqual(frame, {
      type: "transaction",
      publish: [{ topic: "audit", payload: "x" }],
      ack: [{ subscription: ref, tag: 2, upTo: true }],
    });
    await assert.rejects(first.ack(), isSluiceError("not-pending"));
    session.send({ type: "committed", ref: number });
    await committing;
    await assert.rejects(second.ack(), isSluiceError("not-pending"));
    const last = client.transaction((transaction) => {
      transaction.ack({ ...third });
    });
    const { ref: next, ...ackOnly } = await session.next("transaction");
    assert.deepEqual(ackOnly, { type: "transaction", ack: [{ subscription: ref, tag: 3 }] });
    session.send({ type: "committed", ref: next });
    await last;
  });

  test("shouldNotAcknowledgeAgainWhatAHandlerHasCommitted", async () => {
    const { client, session } = await openAt(nodes);
    const done: string[] = [];
    await client.queue("orders").consume(async (delivery) => {
      await client.transaction((transaction) => {
        transaction.ack(delivery);
      });
      done.push(delivery.id);
    });
    const { ref } = await answerConsume(session);
    deliver(session, ref, 1);
    const frame = await session.next("transaction");
    session.send({ type: "committed", ref: frame.ref });
    await until("handled", () => done.length === 1);
    deliver(session, ref, 2);
    await session.next("transaction");
    assert.equal(session.count("ack"), 0);
    assert.deepEqual(nodes.errors, []);
  });

  test("shouldKeepMessagesPendingIfThePartsAreRefused", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const [first] = (await consume(scene, "orders", 1)).received;
    const committing = client.transaction((transaction) => {
      transaction.publish("secret", "x");
      transaction.ack(first);
    });
    const { ref } = await session.next("transaction");
    session.send({ type: "error", ref, code: "forbidden", message: "publish 1: forbidden" });
    await assert.rejects(committing, isSluiceError("forbidden"));
    assert.equal(first.signal.aborted, false);
    const acking = first.ack();
    const ack = await session.next("ack");
    session.send({ type: "settled", ref: ack.ref, subscription: ack["subscription"] });
    await acking;
  });

  test("shouldTakeMessagesBackIfTheBrokerRefuses", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const { received, ref } = await consume(scene, "orders", 2);
    const [first, second] = received;
    const committing = client.transaction((transaction) => {
      transaction.ack(first);
    });
    const { ref: number } = await session.next("transaction");
    session.send({ type: "error", ref: number, code: "transaction-failed", message: "full" });
    await assert.rejects(committing, isSluiceError("transaction-failed"));
    assert.equal(first.signal.aborted, true);
    session.send({ type: "released", ref, reason: "broker-lost" });
    await until("all are taken back", () => second.signal.aborted);
  });

  test("shouldRejectWhatIsNotPendingOrBelongsToOthers", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const orders = await consume(scene, "orders", 2);
    const others = await consume(scene, "others", 1);
    const [first, second] = orders.received;
    const build = (...acked: Delivery[]): Promise<void> =>
      client.transaction((transaction) => {
        for (const delivery of acked) transaction.ack(delivery);
      });
    await assert.rejects(build(first, others.received[0]), isSluiceError("invalid-argument"));
    await assert.rejects(build({} as Delivery), isSluiceError("invalid-argument"));
    await assert.rejects(build(undefined as never), isSluiceError("invalid-argument"));
    const other = nodes.open();
    (await nodes.old.session()).hello({ features: FEATURES });
    await until("open", () => other.state.status === "open");
    const foreign = other.transaction((transaction) => {
      transaction.ack(first);
    });
    await assert.rejects(foreign, isSluiceError("invalid-argument"));
    session.send({ type: "released", ref: orders.ref, tag: 2, reason: "timeout" });
    await until("taken back", () => second.signal.aborted);
    await assert.rejects(build(second), isSluiceError("not-pending"));
    assert.equal(session.count("transaction"), 0);
  });

  test("shouldSendNothingIfTheFunctionThrowsOrAddsNothing", async () => {
    const { client, session } = await openAt(nodes);
    const thrown = client.transaction((transaction) => {
      transaction.publish("a", "x");
      throw new RangeError("no");
    });
    await assert.rejects(thrown, { name: "RangeError" });
    const invalid = client.transaction((transaction) => {
      transaction.publish("a", "x", { id: "7" } as object);
    });
    await assert.rejects(invalid, isSluiceError("invalid-argument"));
    const asynchronous: () => unknown = () => Promise.resolve();
    const later = client.transaction(asynchronous);
    await assert.rejects(later, isSluiceError("invalid-argument"));
    await assert.rejects(client.transaction(7 as never), isSluiceError("invalid-argument"));
    let kept: Transaction | undefined;
    await client.transaction((transaction) => {
      kept = transaction;
    });
    assert.throws(() => kept?.publish("a", "x"), isSluiceError("closed"));
    assert.equal(session.count("transaction"), 0);
  });

  test("shouldWaitForAConnectionAndNeverRepeat", async () => {
    const client = nodes.open();
    const committing = client.transaction((transaction) => {
      transaction.publish("a", "x");
    });
    const session = await nodes.old.session();
    session.hello({ features: FEATURES });
    await session.next("transaction");
    session.cut();
    await assert.rejects(committing, isSluiceError("connection-lost"));
    const next = await nodes.old.session();
    next.hello({ features: FEATURES });
    await next.next("ping");
    assert.equal(next.count("transaction"), 0);
  });

  test("shouldRejectWithoutAConnectionOrAnAnswerInTime", async () => {
    const clock = new LeapingClock(1_000);
    const client = nodes.open({ clock, publishTimeout: 3_000 });
    const publish = (): Promise<void> =>
      client.transaction((transaction) => {
        transaction.publish("a", "x");
      });
    const waiting = publish();
    await until("it waits", () => clock.hasTimer(3_000));
    clock.leap(3_000);
    await assert.rejects(waiting, (error: SluiceError) => {
      assert.match(error.message, /was not sent/);
      return isSluiceError("publish-timeout")(error);
    });
    const session = await nodes.old.session();
    session.hello({ features: FEATURES });
    const unanswered = publish();
    await session.next("transaction");
    clock.leap(3_000);
    await assert.rejects(unanswered, (error: SluiceError) => {
      assert.match(error.message, /may have been committed/);
      return isSluiceError("publish-timeout")(error);
    });
  });

  test("shouldBeUnsupportedWithoutTheFeatures", async () => {
    const scene = await openAt(nodes, ["queues"]);
    const { client } = scene;
    const publishing = client.transaction((transaction) => {
      transaction.publish("a", "x");
    });
    await assert.rejects(publishing, isSluiceError("unsupported"));
    const [first] = (await consume(scene, "orders", 1)).received;
    const acking = client.transaction((transaction) => {
      transaction.ack(first);
    });
    await assert.rejects(acking, isSluiceError("unsupported"));
    assert.equal(first.signal.aborted, false);
  });

  test("shouldStayOnTheOldConnectionDuringAMove", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const [first] = (await consume(scene, "orders", 1)).received;
    nodes.drain(session);
    const next = await nodes.other.session();
    next.hello({ node: "gw-2", features: FEATURES });
    await answerConsume(next);
    await until("moved", () => nodes.moves.length === 1);
    const committing = client.transaction((transaction) => {
      transaction.ack(first);
    });
    const { ref } = await session.next("transaction");
    assert.equal(next.count("transaction"), 0);
    session.send({ type: "committed", ref });
    await committing;
    await until("the old connection is closed", () => session.closeCode === 1000);
  });

  test("shouldPublishOverHttp", async () => {
    const gateway = await ScriptedGateway.start();
    gateway.onStream = (stream) => {
      stream.hello({ features: FEATURES });
    };
    const client = nodes.open({ transports: ["http"] }, gateway.url);
    await until("open", () => client.state.status === "open");
    const committing = client.transaction((transaction) => {
      transaction.publish("a", "x");
    });
    const request = await gateway.publishRequest();
    request.hello({ features: FEATURES });
    const { ref } = await request.next("transaction");
    request.send({ type: "committed", ref });
    request.close(1000);
    await committing;
    client.close();
    await gateway.stop();
  });
});
