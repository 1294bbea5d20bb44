import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { createTestBroker, type TestBroker, type TestNode } from "../src/testing.js";
import { encodeBinaryPublish } from "../src/engine/publish-frames.js";
import { toPublication } from "../src/engine/publish-options.js";

type Frame = Readonly<Record<string, unknown>>;

/** Connection without the client, which shows each frame of the node. */
class RawConnection {
  readonly frames: Frame[] = [];
  readonly binary: ArrayBuffer[] = [];
  closeCode: number | undefined;
  readonly #broker: TestBroker;
  readonly #socket: InstanceType<TestNode["options"]["WebSocket"]>;

  constructor(broker: TestBroker, node: TestNode, encoding = "json") {
    this.#broker = broker;
    this.#socket = new node.options.WebSocket(node.url, [`sluice.v1.${encoding}`]);
    this.#socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.frames.push(JSON.parse(data) as Frame);
      else this.binary.push(data as ArrayBuffer);
    });
    this.#socket.addEventListener("close", ({ code }) => (this.closeCode = code));
  }

  /** Sends frames; returns what the node sends from then on, except hello. */
  async send(...sent: readonly (Frame | string | Uint8Array<ArrayBuffer>)[]): Promise<Frame[]> {
    const from = this.frames.length;
    for (const each of sent) {
      const isData = typeof each === "string" || each instanceof Uint8Array;
      this.#socket.send(isData ? each : JSON.stringify(each));
    }
    await this.#broker.idle();
    return this.frames.slice(from).filter(({ type }) => type !== "hello");
  }
}

describe("protocol of the test node", () => {
  let broker: TestBroker;
  let node: TestNode;

  beforeEach(() => {
    broker = createTestBroker();
    node = broker.node();
  });

  afterEach(() => {
    broker.close();
  });

  const open = (encoding?: string): RawConnection => new RawConnection(broker, node, encoding);

  test("shouldSendHelloFirst", async () => {
    const connection = open();
    await connection.send({ type: "ping", ref: 4 });
    assert.deepEqual(
      connection.frames.map(({ type }) => type),
      ["hello", "pong"],
    );
    const { node: name, broker: state, features } = connection.frames[0] ?? {};
    assert.deepEqual([name, state], ["node-1", "up"]);
    const expected =
      "delay durable presence publish-id queues selectors shared transacted-acks transactions";
    assert.deepEqual(features, expected.split(" "));
  });

  test("shouldTagMessages", async () => {
    for (const encoding of ["json", "bin"]) {
      const connection = open(encoding);
      const [plain, tagged] = await connection.send(
        { type: "subscribe", ref: 1, topic: "a" },
        { type: "subscribe", ref: 2, topic: "a", tagged: true },
      );
      assert.deepEqual([plain?.["tagged"], tagged?.["tagged"]], [undefined, true]);
      broker.publish("a", "x");
      node.loseMessages("a");
      const frames = await connection.send();
      const gaps = frames.filter(({ type }) => type === "gap").map(({ ref }) => ref);
      assert.deepEqual(gaps, [undefined, 2]);
      if (encoding === "json") {
        const refs = frames.filter(({ type }) => type === "message").map(({ ref }) => ref);
        assert.deepEqual(refs, [undefined, 2]);
      } else {
        const [first, second] = connection.binary.map((data) => new DataView(data));
        assert.deepEqual([first?.getUint8(0), second?.getUint8(0)], [0x01, 0x81]);
        assert.equal(second?.getUint32(20), 2);
      }
      const [ended] = await connection.send({ type: "unsubscribe", ref: 9, subscription: 2 });
      assert.deepEqual(ended, { type: "unsubscribed", ref: 9, topic: "a", subscription: 2 });
    }
  });

  test("shouldAnnounceChannelsOfAPattern", async () => {
    const connection = open("bin");
    await connection.send({ type: "subscribe", ref: 1, topic: "a.*" });
    broker.publish("a.b", "1");
    broker.publish("a.b", "2");
    broker.publish("a.c", "3");
    const frames = await connection.send();
    assert.deepEqual(frames, [
      { type: "channel", channel: 1, pattern: "a.*", topic: "a.b" },
      { type: "channel", channel: 2, pattern: "a.*", topic: "a.c" },
    ]);
    const channels = connection.binary.map((data) => new DataView(data).getUint32(0) & 0xffffff);
    assert.deepEqual(channels, [1, 1, 2]);
  });

  test("shouldReplyToRequests", async () => {
    broker.respond({ queue: "quotes" }, ({ payload }) =>
      payload === "EURUSD" ? "1.0934" : undefined,
    );
    const connection = open();
    const [reply] = await connection.send({
      type: "request",
      ref: 3,
      queue: "quotes",
      payload: "EURUSD",
    });
    assert.deepEqual([reply?.["type"], reply?.["ref"]], ["reply", 3]);
    assert.equal(reply?.["payload"], "1.0934");
    await connection.send({ type: "request", ref: 4, queue: "quotes", payload: "?" });
    broker.stop();
    const [failed] = await connection.send();
    assert.deepEqual([failed?.["ref"], failed?.["code"]], [4, "no-reply"]);
  });

  test("shouldLetConsumersRespond", async () => {
    const [asking, serving] = [open(), open()];
    await serving.send({ type: "consume", ref: 1, queue: "quotes" });
    await asking.send({ type: "request", ref: 3, queue: "quotes", payload: "EURUSD" });
    const [published] = await serving.send({
      type: "respond",
      ref: 2,
      subscription: 1,
      tag: 1,
      payload: "1.1",
    });
    assert.deepEqual(published?.["type"], "published");
    const [reply] = asking.frames.slice(-1);
    assert.deepEqual([reply?.["type"], reply?.["payload"]], ["reply", "1.1"]);
    broker.queue("quotes").publish("no reply requested");
    await serving.send({ type: "ack", subscription: 1, tag: 1 });
    const respond = { type: "respond", ref: 5, subscription: 1, tag: 2, payload: "" };
    const [refused] = await serving.send(respond);
    assert.equal(refused?.["code"], "no-recipient");
  });

  test("shouldAcceptBinaryPublishes", async () => {
    const connection = open("bin");
    const publication = (topic: string, payload: string | Uint8Array, priority?: number) =>
      toPublication({ topic }, payload, priority === undefined ? {} : { priority });
    const frames = [
      encodeBinaryPublish(1, publication("a", "text äö")),
      encodeBinaryPublish(2, publication("a", Uint8Array.of(0, 255), 7)),
    ];
    const answers = await connection.send(
      ...frames.map((frame) => frame ?? ""),
      Uint8Array.of(0x02, 0, 0),
      Uint8Array.of(0x07, 0, 0, 0, 1, 0, 0),
    );
    const types = answers.map(({ type, code }) => code ?? type);
    assert.deepEqual(types, ["published", "published", "bad-frame", "bad-frame"]);
    assert.deepEqual(
      broker.messages("a").map(({ payload }) => payload),
      ["text äö", Uint8Array.of(0, 255)],
    );
  });

  const REFUSED: readonly (readonly [code: string, frame: Frame | string])[] = [
    ["bad-json", "no json"],
    ["bad-json", "[]"],
    ["bad-frame", {}],
    ["unknown-type", { type: "sing" }],
    ["already-connected", { type: "connect" }],
    ["bad-frame", { type: "subscribe", ref: 1 }],
    ["bad-frame", { type: "subscribe", ref: 1, topic: "b", from: { last: 0 } }],
    ["bad-frame", { type: "subscribe", ref: 1, topic: "b", rate: 1_001 }],
    ["bad-frame", { type: "subscribe", topic: "b", tagged: true }],
    ["invalid-topic", { type: "subscribe", ref: 1, topic: "b..c" }],
    ["already-subscribed", { type: "subscribe", ref: 1, topic: "a" }],
    ["bad-frame", { type: "subscribe", ref: 5, topic: "a", where: "x = 1" }],
    ["bad-frame", { type: "subscribe", ref: 5, topic: "a", tagged: true, where: " " }],
    ["invalid-selector", { type: "subscribe", ref: 5, topic: "a", tagged: true, where: "x =" }],
    ["invalid-selector", { type: "browse", ref: 5, queue: "b", where: "NOT region = 'EU'" }],
    ["invalid-selector", { type: "browse", ref: 5, queue: "b", where: "JMSReplyTo IS NULL" }],
    ["forbidden", { type: "subscribe", ref: 5, topic: "closed" }],
    ["not-subscribed", { type: "unsubscribe", ref: 1, topic: "b" }],
    ["bad-frame", { type: "publish", ref: 1, payload: "" }],
    ["bad-frame", { type: "publish", ref: 1, topic: "b" }],
    ["bad-frame", { type: "publish", ref: 1, topic: "b", payload: "", priority: "x", ttl: 0 }],
    ["bad-frame", { type: "publish", ref: 1, topic: "b", payload: "", encoding: "x" }],
    ["invalid-topic", { type: "publish", ref: 1, topic: "b.*", payload: "" }],
    ["bad-frame", { type: "request", queue: "b", payload: "" }],
    ["bad-frame", { type: "request", ref: 1, queue: "b", payload: "", timeout: 60_001 }],
    ["bad-frame", { type: "consume", ref: 1, queue: "b", credit: 1_001 }],
    ["invalid-selector", { type: "consume", ref: 1, queue: "b", where: "now() = 1" }],
    ["bad-frame", { type: "consume", ref: 1, topic: "b" }],
    ["bad-frame", { type: "consume", ref: 1, topic: "b", durable: "d", shared: "d" }],
    ["bad-frame", { type: "consume", ref: 1, topic: "b", durable: "a name" }],
    ["bad-frame", { type: "consume", ref: 1, queue: "b", durable: "d" }],
    ["forbidden", { type: "consume", ref: 1, topic: "closed", durable: "d" }],
    ["bad-frame", { type: "list" }],
    ["bad-frame", { type: "delete", ref: 1, topic: "b" }],
    ["unknown-subscription", { type: "delete", ref: 1, topic: "b", durable: "d" }],
    ["bad-frame", { type: "transaction", ref: 1 }],
    ["bad-frame", { type: "transaction", ref: 1, publish: {} }],
    ["bad-frame", { type: "transaction", ref: 1, publish: [{ topic: "b", payload: "", id: "x" }] }],
    ["bad-frame", { type: "transaction", ref: 1, publish: [{ topic: "b", payload: 7 }] }],
    ["forbidden", { type: "transaction", ref: 1, publish: [{ topic: "closed", payload: "" }] }],
    ["not-pending", { type: "transaction", ref: 1, ack: [{ subscription: 7, tag: 1 }] }],
    ["bad-frame", { type: "presence", topic: "b" }],
    ["bad-frame", { type: "presence", ref: 1, topic: "b", key: "k" }],
    ["bad-frame", { type: "presence", ref: 1, topic: "b", enter: true, key: "" }],
    ["bad-frame", { type: "presence", ref: 1, topic: "b", enter: true, info: "x".repeat(255) }],
    ["invalid-topic", { type: "presence", ref: 1, topic: "b.*" }],
    ["forbidden", { type: "presence", ref: 1, topic: "closed", watch: true }],
    ["not-subscribed", { type: "leave", ref: 1, topic: "b" }],
    ["already-subscribed", { type: "consume", ref: 7, queue: "b" }],
    ["invalid-topic", { type: "consume", ref: 1, queue: "b.*" }],
    ["not-pending", { type: "ack", ref: 1, subscription: 7, tag: 1 }],
    ["not-pending", { type: "ack", ref: 1, subscription: 8, tag: 1 }],
    ["bad-frame", { type: "ack", ref: 1, subscription: 7, tag: 0 }],
    ["bad-frame", { type: "browse", ref: 1, queue: "b", max: 1_001 }],
    ["bad-frame", { type: "refresh", ref: 1 }],
  ];

  for (const [code, frame] of REFUSED) {
    test(`shouldAnswer ${code}: ${JSON.stringify(frame)}`, async () => {
      const connection = open();
      node.forbid("closed");
      await connection.send({ type: "subscribe", ref: 3, topic: "a" });
      await connection.send({ type: "consume", ref: 7, queue: "q" });
      const [answer, ...others] = await connection.send(frame);
      assert.equal(answer?.["code"], code, JSON.stringify(answer));
      if (typeof frame === "object") assert.equal(answer["ref"], frame["ref"]);
      assert.deepEqual(others, []);
    });
  }

  test("shouldCloseForLargeBinaryAndTooManyErrors", async () => {
    const large = open();
    await large.send("x".repeat(65_537));
    assert.equal(large.closeCode, 1009);
    const binary = open();
    await binary.send(Uint8Array.of(2));
    assert.equal(binary.closeCode, 1003);
    const wrong = open();
    await wrong.send(...Array.from({ length: 100 }, () => "?"));
    assert.equal(wrong.closeCode, undefined);
    await wrong.send("?");
    assert.equal(wrong.closeCode, 4203);
  });

  test("shouldKeepSessionsWithRefusedFrames", async () => {
    const refused = open();
    const frame = { type: "unsubscribe", ref: 1, topic: "a" };
    await refused.send(...Array.from({ length: 200 }, () => frame));
    assert.equal(refused.closeCode, undefined);
  });

  test("shouldFailWithoutANodeAtTheAddress", async () => {
    const socket = new node.options.WebSocket("ws://nowhere.test/ws", []);
    const events: unknown[] = [];
    socket.addEventListener("error", () => events.push("error"));
    socket.addEventListener("close", ({ code }) => events.push(code));
    await broker.idle();
    assert.deepEqual(events, ["error", 1006]);
  });

  test("shouldAnnounceStaleAfterHello", async () => {
    broker.stop();
    const connection = open();
    const frames = await connection.send({ type: "subscribe", ref: 1, topic: "a" });
    assert.deepEqual(frames, [{ type: "stale" }]);
    broker.start();
    const types = (await connection.send()).map(({ type }) => type);
    assert.deepEqual(types, ["subscribed", "live"]);
  });
});
