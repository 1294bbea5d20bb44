import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Client, type SubscribeOptions } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

interface Case {
  readonly name: string;
  readonly text?: string;
  readonly hex?: string;
  readonly gap: string | null;
}

const file = readFileSync("../docs/protocol/unreadable.json", "utf8");
const { cases, deliveries } = JSON.parse(file) as {
  readonly cases: readonly Case[];
  readonly deliveries: readonly Omit<Case, "gap">[];
};

const TOPICS = ["stocks.7", "news.>"];

describe("unreadable frames", () => {
  let node: ScriptedNode;
  let client: Client;
  let session: ScriptedSession;
  let received: string[];
  let errors: string[];

  beforeEach(async () => {
    received = [];
    errors = [];
    node = await ScriptedNode.start();
  });

  afterEach(async () => {
    client.close();
    await node.stop();
  });

  async function open(encoding: "binary" | "json", options: SubscribeOptions = {}): Promise<void> {
    client = connect(node.url, { WebSocket, encoding });
    client.on("error", ({ code }) => errors.push(code));
    session = await node.session();
    session.hello({ features: ["queues"] });
    for (const [at, topic] of TOPICS.entries()) {
      const observer = {
        onMessage: ({ offset }: { readonly offset: number }) =>
          received.push(`${topic} ${String(offset)}`),
        onGap: ({ reason }: { readonly reason: string }) => received.push(`${topic} ${reason}`),
      };
      client.subscribe(topic, observer, options);
      await session.subscribed(41, at === 0 ? { channel: 1 } : {});
    }
    session.send({ type: "channel", channel: 2, pattern: "news.>", topic: "news.eu" });
  }

  function sendMessages(offset: number): void {
    session.message("stocks.7", offset, "1");
    session.message("news.eu", offset, "1", { pattern: "news.>" });
  }

  for (const { name, text, hex, gap } of cases) {
    for (const encoding of text === undefined ? ["binary"] : ["binary", "json"]) {
      test(`shouldIsolate "${name}" in ${encoding}`, async () => {
        await open(encoding as "binary" | "json");
        session.sendRaw(text ?? Buffer.from(hex ?? "", "hex"));
        sendMessages(43);
        await until("delivered", () => received.includes("news.> 43"));
        const expected = TOPICS.flatMap((topic) => [
          `${topic} ${topic === gap ? "unreadable" : "missing"}`,
          `${topic} 43`,
        ]);
        assert.deepEqual(received.sort(), expected.sort());
        assert.deepEqual(errors, ["bad-answer"]);
        // The next session does not begin with the same frame.
        session.cut();
        session = await node.session();
        session.hello();
        const { from } = (await session.next("subscribe")) as unknown as {
          readonly from: { readonly offset: number };
        };
        assert.equal(from.offset, 43);
      });
    }
  }

  /** Starts a consumer, and returns its number. */
  async function consume(): Promise<number> {
    void client
      .queue("orders")
      .consume(({ payload }) => received.push(`orders ${String(payload)}`));
    const { ref } = await session.next("consume");
    session.send({ type: "consuming", ref, queue: "orders" });
    return ref;
  }

  for (const { name, text, hex } of deliveries) {
    for (const encoding of text === undefined ? ["binary"] : ["binary", "json"]) {
      test(`shouldReject "${name}" in ${encoding}`, async () => {
        await open(encoding as "binary" | "json");
        const ref = await consume();
        const digits = ref.toString(16).padStart(8, "0");
        const frame = text?.replace("$ref", String(ref));
        session.sendRaw(frame ?? Buffer.from((hex ?? "").replace("$ref", digits), "hex"));
        const reject = await session.next("reject");
        assert.deepEqual([reject["subscription"], reject["tag"]], [ref, 1]);
        session.send({ type: "settled", ref: reject.ref, subscription: ref });
        const second = { type: "delivery", ref, tag: 2, id: "0000000000000043", time: 1 };
        session.send({ ...second, payload: "two" });
        const ack = await session.next("ack");
        assert.deepEqual([ack["tag"], received], [2, ["orders two"]]);
        assert.deepEqual(errors, ["bad-answer"]);
        assert.equal(client.state.status, "open");
      });
    }
  }

  test("shouldFailABrowseWithAnUnreadableDelivery", async () => {
    await open("json");
    const browsing = client.queue("orders").browse();
    const { ref } = await session.next("browse");
    session.send({ type: "delivery", ref, id: "0000000000000042", time: 1, payload: 1 });
    session.send({ type: "browsed", ref, queue: "orders", count: 1 });
    await assert.rejects(browsing, isSluiceError("bad-answer"));
    assert.deepEqual([received, errors], [[], []]);
  });

  for (const { name, text = "", gap } of cases.filter((one) => one.text && one.gap)) {
    test(`shouldPass "${name}" before the next message`, async () => {
      await open("json");
      session.sendRaw(text);
      await until("reported", () => received.includes(`${String(gap)} unreadable`));
      session.cut();
      session = await node.session();
      session.hello();
      const positions = new Map<unknown, unknown>();
      for (let i = 0; i < 2; i++) {
        const { topic, from } = await session.next("subscribe");
        positions.set(topic, (from as { readonly offset: number }).offset);
      }
      assert.deepEqual(positions, new Map(TOPICS.map((topic) => [topic, topic === gap ? 42 : 41])));
    });
  }

  test("shouldReportAGapWhereOffsetsNeedNotBeConsecutive", async () => {
    await open("binary", { delivery: "latest" });
    session.sendRaw("{");
    sendMessages(50);
    await until("delivered", () => received.includes("news.> 50"));
    assert.deepEqual(received.sort(), [
      "news.> 50",
      "news.> unreadable",
      "stocks.7 50",
      "stocks.7 unreadable",
    ]);
  });

  test("shouldNotTrustCaughtUpUntilTheNextMessage", async () => {
    await open("json");
    session.sendRaw("{");
    session.send({ type: "caught-up", time: 1_763_700_001_000 });
    session.message("stocks.7", 42, "1");
    await until("delivered", () => received.includes("stocks.7 42"));
    session.send({ type: "caught-up", time: 1_763_700_002_000 });
    session.send({ type: "live" });
    session.message("stocks.7", 43, "1");
    await until("delivered", () => received.includes("stocks.7 43"));
    session.cut();
    session = await node.session();
    session.hello();
    const times = new Map<unknown, unknown>();
    for (let i = 0; i < 2; i++) {
      const { topic, from } = await session.next("subscribe");
      times.set(topic, (from as { readonly time?: number }).time);
    }
    assert.deepEqual(times.get("stocks.7"), 1_763_700_002_000);
    assert.deepEqual(times.get("news.>"), undefined);
  });

  test("shouldFinishAReplayWithAnUnreadableFrame", async () => {
    for (const encoding of ["binary", "json"] as const) {
      await open(encoding);
      session.cut();
      session = await node.session();
      session.hello();
      await session.subscribed(44, { replay: 3, recovered: true, channel: 1 });
      session.message("stocks.7", 42, "1");
      session.sendRaw("{");
      session.message("stocks.7", 44, "1");
      session.binaryMessage(1, 45, "1");
      session.message("stocks.7", 46, "1");
      await until("delivered", () => received.includes("stocks.7 46"));
      assert.deepEqual(received, [
        "stocks.7 42",
        "stocks.7 missing",
        "stocks.7 44",
        "stocks.7 missing",
        "stocks.7 45",
        "stocks.7 46",
      ]);
      client.close();
      received.length = 0;
    }
  });

  test("shouldRefuseASubscriptionWithAnUnreadableAnswer", async () => {
    await open("json");
    const states: string[] = [];
    client.subscribe("other", {
      onMessage: () => undefined,
      onState: ({ status }) => states.push(status),
      onError: ({ code }) => states.push(code),
    });
    const { ref } = await session.next("subscribe");
    session.send({ type: "subscribed", ref, topic: "other", epoch: 7, offset: 1 });
    await until("refused", () => states.includes("refused"));
    assert.deepEqual(states, ["refused", "bad-answer"]);
    assert.equal(client.state.status, "open");
  });
});
