import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Client } from "../src/index.js";
import { ScriptedGateway, type StreamSession } from "./scripted-gateway.js";
import { until } from "./support.js";
import { OLD, RECOVERED } from "./two-nodes.js";

const FULL = { status: 503, text: "the node is full", headers: { "retry-after": "60" } };

describe("moving over HTTP", { timeout: 60_000 }, () => {
  let old: ScriptedGateway;
  let other: ScriptedGateway;
  let client: Client;
  let received: unknown[];
  let states: string[];
  let moves: number;

  beforeEach(async () => {
    [old, other] = [await ScriptedGateway.start(), await ScriptedGateway.start()];
    old.passage = other.passage = "refused";
    client = connect(old.url, { WebSocket, encoding: "json", minBackoff: 5, maxBackoff: 20 });
    received = [];
    states = [];
    moves = 0;
    client.on("state", ({ status }) => states.push(status));
    client.on("moved", () => moves++);
    client.subscribe("a", ({ payload }) => received.push(payload));
  });

  afterEach(async () => {
    client.close();
    await Promise.all([old.stop(), other.stop()]);
  });

  /** Opens a stream that the old node drains within `ms` milliseconds. */
  async function drain(ms: number, url?: string): Promise<StreamSession> {
    const stream = await old.stream();
    stream.hello();
    await stream.subscribed(0, { epoch: OLD });
    stream.message("a", 1, "one");
    await until("a message", () => received.length === 1);
    stream.send({ type: "draining", deadline: Date.now() + ms, url });
    return stream;
  }

  test("shouldSendNoRequestsToTheOldNode", async () => {
    const stream = await drain(20_000, other.url);
    const next = await other.stream();
    client.subscribe("b", ({ payload }) => received.push(payload));
    stream.message("a", 2, "two");
    await until("the old one counts", () => received.length === 2);
    next.hello();
    await next.subscribed(5, RECOVERED);
    // The stream is renewed there for the later subscriptions.
    const renewed = await other.stream();
    renewed.hello();
    const { topic } = await renewed.subscribed(6, { ...RECOVERED, replay: 1 });
    assert.equal(topic, "a");
    renewed.message("a", 6, "three", { id: "0000000000000003" });
    await renewed.subscribed(0, { epoch: "00000000000000b3" });
    renewed.message("b", 1, "four", { id: "00000000000000f4" });
    await until("all came", () => received.length === 4);
    assert.deepEqual(received, ["one", "two", "three", "four"]);
    assert.equal(moves, 1);
    assert.deepEqual(states.slice(states.indexOf("open")), ["open", "draining", "open"]);
    assert.equal(old.requests, 1);
  });

  test("shouldPublishAtTheOtherNodeWhatTheOldOneWouldRefuse", async () => {
    await drain(20_000, other.url);
    const next = await other.stream();
    const published = client.publish("p", "mine");
    next.hello();
    await next.subscribed(5, RECOVERED);
    const exchange = await other.publishRequest();
    const { ref, payload } = await exchange.next("publish");
    assert.equal(payload, "mine");
    exchange.send({ type: "published", ref });
    exchange.close(1000);
    await published;
    assert.equal(old.requestCount, 0);
  });

  describe("with Retry-After of one address", () => {
    async function moved(next: StreamSession): Promise<void> {
      next.hello();
      await next.subscribed(5, RECOVERED);
      await until("moved", () => moves === 1);
    }

    test("shouldTryAnotherAddressAtOnce", async () => {
      other.refusal = FULL;
      await drain(60_000, other.url);
      await moved(await old.stream());
      assert.equal(other.requests, 1);
    });

    test("shouldRetryTheOnlyAddressBeforeTheDeadline", async () => {
      const deadline = Date.now() + 2_000;
      await drain(2_000);
      old.refusal = FULL;
      await until("it was refused", () => old.requests === 2);
      old.refusal = undefined;
      await moved(await old.stream());
      assert.ok(Date.now() < deadline);
    });
  });
});
