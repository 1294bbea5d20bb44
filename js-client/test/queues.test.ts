import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type {
  ConnectOptions,
  ConsumeOptions,
  Delivery,
  Client,
  SluiceError,
} from "../src/index.js";
import type { ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

const QUEUES = { features: ["publish-id", "queues"] };

/** Message as a node sends it, without `ref` and `tag`. */
const MESSAGE = { type: "delivery", id: "9e3779b97f4a7c15", time: 1_763_700_000_000, payload: "x" };

interface Scene {
  readonly client: Client;
  readonly session: ScriptedSession;
}

/** Deliveries to a handler that runs until the test completes it. */
class Deliveries {
  readonly all: Delivery[] = [];
  readonly #ends: (() => void)[] = [];

  readonly handler = (delivery: Delivery): Promise<void> => {
    this.all.push(delivery);
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  get payloads(): unknown[] {
    return this.all.map(({ payload }) => payload);
  }

  /** Completes the oldest running handler. */
  complete(): void {
    this.#ends.shift()?.();
  }
}

describe("queues", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  async function open(options: ConnectOptions = {}, hello: object = QUEUES): Promise<Scene> {
    const client = nodes.open(options);
    const session = await nodes.old.session();
    session.hello({ ...hello });
    await until("open", () => client.state.status === "open");
    return { client, session };
  }

  /** Answers the next consume; returns its number. */
  async function consuming(session: ScriptedSession): Promise<number> {
    const { ref } = await session.next("consume");
    session.send({ type: "consuming", ref, queue: "orders" });
    return ref;
  }

  /** Starts a consumer and answers it. */
  async function consume(
    { client, session }: Scene,
    handler: (delivery: Delivery) => unknown,
    options: ConsumeOptions = {},
  ) {
    const errors: SluiceError[] = [];
    const states: string[] = [];
    const consumer = await client.queue("orders").consume(handler, {
      onError: (error) => errors.push(error),
      onState: ({ status }) => states.push(status),
      ...options,
    });
    const ref = await consuming(session);
    await until("consuming", () => consumer.state.status === "consuming");
    return { consumer, ref, errors, states };
  }

  /** Answers the next settlement of this type; returns it. */
  async function settled(session: ScriptedSession, type: string) {
    const frame = await session.next(type);
    session.send({ type: "settled", ref: frame.ref, subscription: frame["subscription"] });
    return frame;
  }

  describe("consume", () => {
    test("shouldDeliverAMessageWithAllMembersAndAcknowledgeIt", async () => {
      const scene = await open();
      const deliveries = new Deliveries();
      const { ref, errors } = await consume(scene, deliveries.handler, {
        credit: 20,
        where: "region = 'EU'",
      });
      const { session } = scene;
      assert.deepEqual(
        session.frames.find(({ type }) => type === "consume"),
        {
          type: "consume",
          ref,
          queue: "orders",
          credit: 20,
          where: "region = 'EU'",
        },
      );
      const members = {
        messageType: "order",
        correlationId: "c-1",
        replyTo: { queue: "replies" },
        group: "g",
        properties: { region: "EU" },
      };
      session.send({ ...MESSAGE, ref, tag: 1, redelivered: true, ...members });
      await until("delivered", () => deliveries.all.length === 1);
      const { signal, ack, release, reject, respond, ...message } =
        deliveries.all[0] ?? assert.fail("none");
      assert.ok([ack, release, reject, respond].every((settle) => typeof settle === "function"));
      assert.equal(signal.aborted, false);
      assert.deepEqual(message, {
        queue: "orders",
        topic: undefined,
        id: MESSAGE.id,
        time: MESSAGE.time,
        redelivered: true,
        ...members,
        kind: "text",
        payload: "x",
      });
      assert.equal(session.count("ack"), 0, "the handler is running");
      deliveries.complete();
      const frame = await settled(session, "ack");
      assert.deepEqual(frame, { type: "ack", ref: frame.ref, subscription: ref, tag: 1 });
      assert.deepEqual(errors, []);
    });

    test("shouldParseBinaryDeliveries", async () => {
      const scene = await open({ encoding: "binary" });
      const deliveries = new Deliveries();
      const { ref } = await consume(scene, deliveries.handler, { credit: 2 });
      const time = Date.now();
      const frame = (first: number, tag: number, rest: Buffer): Buffer => {
        const header = Buffer.alloc(21);
        header.writeUInt8(first);
        header.writeUInt32BE(ref, 1);
        header.writeUInt32BE(tag, 5);
        header.write(MESSAGE.id, 9, "hex");
        header.writeUInt32BE(time % 2 ** 32, 17);
        return Buffer.concat([header, rest]);
      };
      const json = Buffer.from('{"messageType":"order","properties":{"region":"EU"}}');
      const length = Buffer.from([0, json.length]);
      scene.session.sendRaw(frame(0xc2, 1, Buffer.concat([length, json, Buffer.from("ä")])));
      scene.session.sendRaw(frame(0x12, 2, Buffer.of(1, 2)));
      await until("delivered", () => deliveries.all.length === 2);
      const [first, second] = deliveries.all;
      assert.ok(first && second);
      assert.deepEqual(
        [first.payload, first.redelivered, first.messageType, first.id, first.time],
        ["ä", true, "order", MESSAGE.id, time],
      );
      assert.deepEqual(first.properties, { region: "EU" });
      assert.deepEqual([second.kind, second.payload], ["bytes", Uint8Array.of(1, 2)]);
      assert.deepEqual(second.properties, {});
      deliveries.complete();
      assert.equal((await settled(scene.session, "ack"))["tag"], 1);
    });

    test("shouldReleaseAMessageWhoseHandlerFails", async () => {
      const scene = await open();
      const { ref, errors } = await consume(scene, () => Promise.reject(new Error("no stock")));
      scene.session.send({ ...MESSAGE, ref, tag: 1 });
      await settled(scene.session, "release");
      assert.deepEqual(
        errors.map(({ code, queue, cause }) => [code, queue, (cause as Error).message]),
        [["handler-failed", "orders", "no stock"]],
      );
    });

    test("shouldReleaseAMessageThatCannotBeConverted", async () => {
      const scene = await open();
      const { ref, errors } = await consume(scene, () => assert.fail("not delivered"), {
        payload: "json",
      });
      scene.session.send({ ...MESSAGE, ref, tag: 1, payload: "{" });
      await settled(scene.session, "release");
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["bad-payload"],
      );
    });

    test("shouldRunAsManyHandlersAsTheCreditPermits", async () => {
      const scene = await open();
      const deliveries = new Deliveries();
      const { ref, consumer } = await consume(scene, deliveries.handler);
      for (const tag of [1, 2, 3])
        scene.session.send({ ...MESSAGE, ref, tag, payload: String(tag) });
      await until("delivered", () => deliveries.all.length === 1);
      deliveries.complete();
      await settled(scene.session, "ack");
      await until("the next", () => deliveries.all.length === 2);
      consumer.setCredit(5);
      const { type, subscription, credit } = await scene.session.next("credit");
      assert.deepEqual([type, subscription, credit], ["credit", ref, 5]);
      deliveries.complete();
      await settled(scene.session, "ack");
      await until("all", () => deliveries.all.length === 3);
      assert.deepEqual(deliveries.payloads, ["1", "2", "3"]);
      assert.throws(() => {
        consumer.setCredit(-1);
      }, isSluiceError("invalid-argument"));
    });

    test("shouldLetTheHandlerSettleEachMessageOnce", async () => {
      const scene = await open();
      const { ref, errors } = await consume(scene, async (delivery) => {
        await delivery.reject();
        await assert.rejects(delivery.ack(), isSluiceError("not-pending"));
      });
      scene.session.send({ ...MESSAGE, ref, tag: 1 });
      await settled(scene.session, "reject");
      scene.session.send({ ...MESSAGE, ref, tag: 2 });
      await settled(scene.session, "reject");
      assert.equal(scene.session.count("ack"), 0);
      assert.deepEqual(errors, []);
    });

    test("shouldSettleManuallyAndCumulatively", async () => {
      const scene = await open();
      const deliveries: Delivery[] = [];
      const { ref } = await consume(scene, (delivery) => deliveries.push(delivery), {
        ack: "manual",
        credit: 3,
      });
      for (const tag of [1, 2, 3]) scene.session.send({ ...MESSAGE, ref, tag });
      await until("delivered", () => deliveries.length === 3);
      const [first, second, third] = deliveries;
      assert.ok(first && second && third);
      const acked = second.ack({ upTo: true });
      const frame = await settled(scene.session, "ack");
      assert.deepEqual([frame["tag"], frame["upTo"]], [2, true]);
      await acked;
      await assert.rejects(first.ack(), isSluiceError("not-pending"));
      const failing = third.ack();
      const { ref: request } = await scene.session.next("ack");
      const failed = { type: "error", code: "settle-failed", message: "broker", subscription: ref };
      scene.session.send({ ...failed, ref: request, tag: 3 });
      await assert.rejects(failing, isSluiceError("settle-failed"));
      const repeated = third.ack();
      await settled(scene.session, "ack");
      await repeated;
    });

    test("shouldReportAMessageThatTheNodeHasTakenBack", async () => {
      const scene = await open();
      const deliveries = new Deliveries();
      const { ref, errors } = await consume(scene, deliveries.handler, { credit: 2 });
      scene.session.send({ ...MESSAGE, ref, tag: 1 });
      scene.session.send({ ...MESSAGE, ref, tag: 2 });
      await until("delivered", () => deliveries.all.length === 2);
      scene.session.send({ type: "released", ref, tag: 1, reason: "timeout" });
      await until("taken back", () => deliveries.all[0]?.signal.aborted === true);
      assert.equal(deliveries.all[1]?.signal.aborted, false);
      deliveries.complete();
      await until("reported", () => errors.length === 1);
      assert.equal(errors[0]?.code, "not-pending");
      assert.match(errors[0].message, /timeout/);
      scene.session.send({ type: "released", ref, reason: "broker-lost" });
      await until("taken back", () => deliveries.all[1]?.signal.aborted === true);
      assert.equal(scene.session.count("ack"), 0);
    });

    test("shouldReportARefusalAndRetryATransientOne", async () => {
      const { client, session } = await open();
      const errors: string[] = [];
      const consumer = await client.queue("orders").consume(() => undefined, {
        onError: ({ code }) => errors.push(code),
      });
      const refuse = async (code: string): Promise<void> => {
        const { ref } = await session.next("consume");
        session.send({ type: "error", ref, code, message: "no", queue: "orders" });
      };
      await refuse("broker-unavailable");
      await refuse("forbidden");
      await until("refused", () => consumer.state.status === "refused");
      assert.deepEqual(errors, ["forbidden"]);
    });

    test("shouldRefuseWithoutTheFeature", async () => {
      const { client, session } = await open({}, {});
      const consumer = await client.queue("orders").consume(() => undefined);
      await until("refused", () => consumer.state.status === "refused");
      assert.equal(nodes.errors[0]?.code, "unsupported");
      await assert.rejects(client.queue("orders").browse(), isSluiceError("unsupported"));
      assert.equal(session.count("consume"), 0);
    });
  });

  describe("the end of a connection", () => {
    test("shouldConsumeAgainAndRejectSettlementsOfTheOldOne", async () => {
      const scene = await open();
      const deliveries: Delivery[] = [];
      const { ref, states } = await consume(scene, (delivery) => deliveries.push(delivery), {
        ack: "manual",
        credit: 2,
      });
      for (const tag of [1, 2]) scene.session.send({ ...MESSAGE, ref, tag });
      await until("delivered", () => deliveries.length === 2);
      const [unanswered, late] = deliveries;
      assert.ok(unanswered && late);
      const lost = unanswered.ack();
      await scene.session.next("ack");
      scene.session.cut();
      await assert.rejects(lost, isSluiceError("connection-lost"));
      assert.ok(late.signal.aborted);
      const next = await nodes.old.session();
      next.hello(QUEUES);
      await consuming(next);
      await until("consuming", () => states.length === 3);
      await assert.rejects(late.ack(), isSluiceError("not-pending"));
      await assert.rejects(unanswered.release(), isSluiceError("not-pending"));
      assert.equal(next.count("ack") + next.count("release"), 0);
      assert.deepEqual(states, ["consuming", "pending", "consuming"]);
    });

    test("shouldReportAnAutomaticSettlementThatComesTooLate", async () => {
      const scene = await open();
      const deliveries = new Deliveries();
      const { ref, errors } = await consume(scene, deliveries.handler);
      scene.session.send({ ...MESSAGE, ref, tag: 1 });
      await until("delivered", () => deliveries.all.length === 1);
      scene.session.cut();
      await until("lost", () => deliveries.all[0]?.signal.aborted === true);
      deliveries.complete();
      await until("reported", () => errors.length === 1);
      assert.equal(errors[0]?.code, "not-pending");
    });

    test("shouldEndConsumersWithTheClient", async () => {
      const scene = await open();
      const { consumer, states } = await consume(scene, () => undefined);
      scene.client.close();
      assert.equal(consumer.state.status, "closed");
      assert.deepEqual(states.at(-1), "closed");
      await consumer.close();
      const again = scene.client.queue("orders").consume(() => undefined);
      await assert.rejects(again, isSluiceError("closed"));
    });
  });

  describe("close", () => {
    test("shouldCompleteRunningHandlersBeforeItEndsTheConsumer", async () => {
      const scene = await open();
      const { session } = scene;
      const deliveries = new Deliveries();
      const { consumer, ref } = await consume(scene, deliveries.handler);
      session.send({ ...MESSAGE, ref, tag: 1 });
      await until("delivered", () => deliveries.all.length === 1);
      const closed = consumer.close();
      assert.equal((await session.next("credit"))["credit"], 0);
      session.send({ ...MESSAGE, ref, tag: 2 });
      deliveries.complete();
      await settled(session, "ack");
      const unsubscribe = await session.next("unsubscribe");
      assert.equal(unsubscribe["subscription"], ref);
      const answer = { type: "unsubscribed", queue: "orders", subscription: ref };
      session.send({ ...answer, ref: unsubscribe.ref });
      await closed;
      assert.equal(consumer.state.status, "closed");
      assert.equal(deliveries.all.length, 1);
      assert.equal(session.count("ack"), 1);
    });

    test("shouldEndByTheSignal", async () => {
      const scene = await open();
      const controller = new AbortController();
      const { consumer } = await consume(scene, () => undefined, { signal: controller.signal });
      controller.abort();
      const { ref } = await scene.session.next("unsubscribe");
      scene.session.send({ type: "unsubscribed", ref, queue: "orders" });
      await until("closed", () => consumer.state.status === "closed");
    });

    test("shouldEndAtTheEndOfAScope", async () => {
      const scene = await open();
      const { session } = scene;
      const { consumer } = await consume(scene, () => undefined);
      const disposed = consumer[Symbol.asyncDispose]();
      const { ref } = await session.next("unsubscribe");
      session.send({ type: "unsubscribed", ref, queue: "orders" });
      await disposed;
      assert.equal(consumer.state.status, "closed");
    });
  });

  describe("moves", () => {
    test("shouldSettleOnTheOldConnectionWhileTheNewOneConsumes", async () => {
      const scene = await open();
      const { session } = scene;
      const deliveries = new Deliveries();
      const { ref, states, errors } = await consume(scene, deliveries.handler);
      session.send({ ...MESSAGE, ref, tag: 1, payload: "old" });
      await until("delivered", () => deliveries.all.length === 1);
      nodes.drain(session);
      const next = await nodes.other.session();
      next.hello(QUEUES);
      await until("moved", () => nodes.moves.length === 1);
      assert.equal(session.count("credit"), 0, "the old consumer is active until the new one is");
      const newRef = await consuming(next);
      assert.equal((await session.next("credit"))["credit"], 0);
      next.send({ ...MESSAGE, ref: newRef, tag: 1, payload: "new" });
      deliveries.complete();
      assert.equal((await settled(session, "ack"))["tag"], 1);
      await until("the next", () => deliveries.all.length === 2);
      assert.deepEqual(deliveries.payloads, ["old", "new"]);
      await until("the old one is closed", () => session.closeCode === 1000);
      deliveries.complete();
      await settled(next, "ack");
      assert.deepEqual(states, ["consuming"]);
      assert.deepEqual(errors, []);
    });

    test("shouldReportMessagesThatAreNotSettledAtTheDeadline", async () => {
      const scene = await open();
      const { session } = scene;
      const deliveries = new Deliveries();
      const { ref, errors } = await consume(scene, deliveries.handler);
      session.send({ ...MESSAGE, ref, tag: 1 });
      await until("delivered", () => deliveries.all.length === 1);
      nodes.drain(session);
      const next = await nodes.other.session();
      next.hello(QUEUES);
      await consuming(next);
      await session.next("credit");
      session.close(4100);
      await until("aborted", () => deliveries.all[0]?.signal.aborted === true);
      deliveries.complete();
      await until("reported", () => errors.length === 1);
      assert.equal(errors[0]?.code, "not-pending");
      assert.equal(scene.client.state.status, "open");
    });

    test("shouldCloseTheOldConnectionAtOnceWithoutConsumers", async () => {
      const { session } = await open();
      nodes.drain(session);
      const next = await nodes.other.session();
      next.hello(QUEUES);
      await until("closed", () => session.closeCode === 1000);
    });
  });

  describe("browse", () => {
    test("shouldReturnTheFirstMessages", async () => {
      const { client, session } = await open();
      const result = client.queue("orders").browse({ max: 2, where: "a = 1", payload: "json" });
      const { ref, ...frame } = await session.next("browse");
      assert.deepEqual(frame, { type: "browse", queue: "orders", max: 2, where: "a = 1" });
      session.send({ ...MESSAGE, ref, payload: '{"n":1}' });
      session.send({ ...MESSAGE, ref, payload: '{"n":2}', messageType: "order" });
      session.send({ type: "browsed", ref, queue: "orders", count: 2, more: true, skipped: 3 });
      const { messages, more, skipped } = await result;
      assert.deepEqual(
        messages.map(({ payload, messageType }) => [payload, messageType]),
        [
          [{ n: 1 }, undefined],
          [{ n: 2 }, "order"],
        ],
      );
      assert.ok(more);
      assert.equal(skipped, 3);
    });

    test("shouldRejectWithTheErrorOfTheNode", async () => {
      const { client, session } = await open();
      const result = client.queue("orders").browse();
      const { ref } = await session.next("browse");
      session.send({ type: "error", ref, code: "forbidden", message: "no", queue: "orders" });
      await assert.rejects(result, (error: SluiceError) => {
        assert.deepEqual([error.code, error.queue], ["forbidden", "orders"]);
        return true;
      });
    });
  });

  describe("publish", () => {
    test("shouldSendAllOptions", async () => {
      const { client, session } = await open();
      const options = {
        properties: { size: 3 },
        types: { size: "int" },
        priority: 9,
        ttl: 60_000,
        delay: 1_000,
        persistent: true,
        messageType: "order",
        correlationId: "c-1",
        group: "g",
        replyTo: { queue: "replies" },
        id: "o-1",
      } as const;
      const published = client.queue("orders").publish({ n: 1 }, options);
      const { ref, ...frame } = await session.next("publish");
      assert.deepEqual(frame, { type: "publish", queue: "orders", payload: '{"n":1}', ...options });
      session.send({ type: "published", ref });
      await published;
    });

    test("shouldSendMapsAndStreams", async () => {
      const { client, session } = await open();
      const published = [
        client.publish("a", { n: 1, bytes: Uint8Array.of(255) }, { body: "map" }),
        client.publish("a", ["x", null, true], { body: "stream" }),
      ];
      const map = await session.next("publish");
      assert.deepEqual(map["payload"], { n: 1, bytes: { base64: "/w==" } });
      const stream = await session.next("publish");
      assert.deepEqual(stream["payload"], ["x", null, true]);
      assert.deepEqual([map["encoding"], stream["encoding"]], ["json", "json"]);
      for (const { ref } of [map, stream]) session.send({ type: "published", ref });
      await Promise.all(published);
    });

    test("shouldSendBinaryFramesWithOptions", async () => {
      const { client, session } = await open({ encoding: "binary" });
      const published = client.queue("orders").publish(Uint8Array.of(1, 2), { ttl: 5 });
      await until("published", () => session.binary.length === 1);
      const [frame] = session.binary;
      assert.ok(frame);
      const json = '{"queue":"orders","ttl":5}';
      assert.equal(frame.readUInt8(0), 0x32);
      assert.equal(frame.readUInt16BE(5), 0);
      assert.equal(frame.readUInt16BE(7), json.length);
      assert.equal(frame.subarray(9, 9 + json.length).toString(), json);
      assert.deepEqual([...frame.subarray(9 + json.length)], [1, 2]);
      session.send({ type: "published", ref: frame.readUInt32BE(1) });
      await published;
    });

    test("shouldEncodeAnObjectAtTheCall", async () => {
      const { client, session } = await open();
      const order = { n: 1 };
      const published = client.publish("a", order);
      order.n = 2;
      const { ref, payload } = await session.next("publish");
      assert.equal(payload, '{"n":1}');
      session.send({ type: "published", ref });
      await published;
    });

    test("shouldReportPendingPublishes", async () => {
      const { client, session } = await open();
      const counts: number[] = [];
      client.on("pending", (all) => counts.push(all.length));
      const published = client.queue("orders").publish("x", { id: "o-1" });
      const { ref } = await session.next("publish");
      const { since, ...rest } = client.pendingPublishes[0] ?? assert.fail("none is pending");
      assert.ok(since <= Date.now());
      assert.deepEqual(rest, { topic: undefined, queue: "orders", id: "o-1", status: "sent" });
      session.send({ type: "published", ref });
      await published;
      assert.deepEqual(client.pendingPublishes, []);
      await until("reported", () => counts.at(-1) === 0);
      assert.equal(counts[0], 1);
    });
  });
});
