// Tests of the SDK against a real node and a real broker, with each transport and encoding.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { Broker, Gateway, until } from "./processes.mjs";

const ALL_WAYS = ["websocket", "http"].flatMap((transport) =>
  ["binary", "json"].flatMap((encoding) =>
    [{}, { compression: true }].map((more) => ({ transports: [transport], encoding, ...more })),
  ),
);

/** All ways with SLUICE_FULL; otherwise some in which each transport, encoding and form occurs. */
const WAYS = process.env.SLUICE_FULL ? ALL_WAYS : [0, 3, 6].map((i) => ALL_WAYS[i]);

describe("the SDK and a real node", { timeout: 300_000 }, () => {
  let broker;
  let gateway;
  const clients = [];

  before(async () => {
    broker = await Broker.start();
    gateway = await Gateway.start(broker, {
      "timeouts.drain": "1s",
      "limits.publish-rate": 10000,
    });
  });

  after(async () => {
    await gateway?.close();
    await broker?.stop("SIGKILL");
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  function open(options) {
    const client = connect(gateway.url, { WebSocket, minBackoff: 20, maxBackoff: 200, ...options });
    client.on("error", () => undefined);
    clients.push(client);
    return client;
  }

  /** Subscribes and waits until the node has answered. */
  async function subscribe(client, topic, options) {
    const received = { messages: [], gaps: [], states: [], errors: [] };
    received.subscription = client.subscribe(
      topic,
      {
        onMessage: (message) => received.messages.push(message),
        onGap: (gap) => received.gaps.push(gap.reason),
        onState: (state) => received.states.push(state.status),
        onError: (error) => received.errors.push(error.code),
      },
      options,
    );
    await until(`${topic} is answered`, () => /live|refused/.test(received.states.at(-1) ?? ""));
    return received;
  }

  const payloads = ({ messages }) => messages.map(({ payload }) => payload);

  for (const way of WAYS) {
    const name = Object.values(way).flat().join(" ").replace("true", "compressed");
    // Separate topics, so that tests don't receive each other's messages.
    const topic = (last) => `sdk.${name.replaceAll(" ", "-")}.${last}`;

    describe(name, () => {
      test("shouldDeliverPublishedMessagesInOrder", async () => {
        const client = open(way);
        const received = await subscribe(client, topic("*"));
        const count = 500;
        const sent = Array.from({ length: count }, (_, i) => `${i} äöü 😀`);
        await Promise.all(sent.map((text) => client.publish(topic("order"), text)));
        await until("all have come", () => received.messages.length >= count);
        assert.deepEqual(payloads(received), sent);
        assert.deepEqual(received.gaps, []);
        assert.equal(received.messages[0].pattern, topic("*"));
      });

      test("shouldDeliverBytesAndProperties", async () => {
        const client = open(way);
        const received = await subscribe(client, topic("bytes"));
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
        await client.publish(topic("bytes"), bytes);
        await until("it has come", () => received.messages.length === 1);
        assert.equal(received.messages[0].kind, "bytes");
        assert.deepEqual([...received.messages[0].payload], [...bytes]);
      });

      test("shouldStartWithASnapshotOrTheLatestMessages", async () => {
        const client = open(way);
        const keeper = await subscribe(client, topic("kept"));
        for (const text of ["1", "2", "3"]) await client.publish(topic("kept"), text);
        await until("all have come", () => keeper.messages.length === 3);
        const snapshot = await subscribe(open(way), topic("kept"), { from: "snapshot" });
        const latest = await subscribe(open(way), topic("kept"), { from: { last: 2 } });
        await until(
          "both have begun",
          () => payloads(latest).length + payloads(snapshot).length === 3,
        );
        assert.deepEqual(payloads(snapshot), ["3"]);
        assert.deepEqual(payloads(latest), ["2", "3"]);
        assert.ok(latest.messages.every(({ replayed }) => replayed));
      });

      test("shouldReplayABusyTopicToALateObserver", async () => {
        const busy = topic("busy");
        const client = open(way);
        const first = await subscribe(client, busy);
        let count = 0;
        let isBusy = true;
        const publisher = (async () => {
          while (isBusy) await client.publish(busy, String(++count));
        })();
        const everyone = [first];
        for (const from of ["snapshot", { last: 5 }, "snapshot", { last: 5 }]) {
          const before = first.messages.length;
          await until("messages flow", () => first.messages.length > before + 20);
          const late = await subscribe(client, busy, { from });
          everyone.push(late);
          await until("it has begun", () => late.messages.length > 20);
          // A node may omit messages of a busy topic from a snapshot if they follow anyway.
          const fromThePast = late.messages.slice(0, from.last ?? 0);
          assert.ok(fromThePast.every(({ replayed }) => replayed));
        }
        isBusy = false;
        await publisher;
        for (const received of everyone) {
          await until("it has the last", () => Number(payloads(received).at(-1)) === count);
          const begin = Number(payloads(received)[0]);
          const all = Array.from({ length: count - begin + 1 }, (_, i) => String(begin + i));
          assert.deepEqual(payloads(received), all);
          assert.deepEqual(received.gaps, []);
          assert.deepEqual(received.states, ["live"]);
        }
      });

      test("shouldLoopOverMessages", async () => {
        const client = open(way);
        const keeper = await subscribe(client, topic("looped"));
        const received = [];
        const loop = (async () => {
          const options = { from: { last: 10 }, payload: "json" };
          for await (const { payload } of open(way).messages(topic("looped"), options)) {
            received.push(payload.number);
            if (payload.number === 5) break;
          }
        })();
        for (let number = 1; number <= 6; number++) {
          await client.publish(topic("looped"), JSON.stringify({ number }));
        }
        await loop;
        assert.deepEqual(received, [1, 2, 3, 4, 5]);
        assert.deepEqual(keeper.gaps, []);
      });

      test("shouldReportARefusal", async () => {
        const client = open(way);
        const refused = await subscribe(client, "a".repeat(300));
        assert.deepEqual(refused.errors, ["topic-too-long"]);
        await until("there is a session", () => client.state.status === "open");
        await assert.rejects(client.publish(topic("large"), "x".repeat(1 << 20)), {
          code: "too-large",
        });
      });
    });
  }

  for (const transport of ["websocket", "http"]) {
    test(`shouldDeliverTheSameMessagesWithCompression over ${transport}`, async () => {
      const before = await gateway.metric('sluice_compression_messages_total{form="next"}');
      const topic = (last) => `sdk.same-${transport}.${last}`;
      const observe = async (options) => {
        const client = open({ transports: [transport], ...options });
        return Promise.all([
          ...["1", "2", "3", "*"].map((last) => subscribe(client, topic(last))),
          subscribe(client, topic("1"), { from: { last: 5 } }),
          subscribe(client, topic("*"), { where: "side = 'buy'" }),
          subscribe(client, topic("2"), { rate: 5 }),
        ]);
      };
      const plain = await observe({});
      const compressed = await observe({ compression: true });
      const publisher = open({});
      const count = 300;
      for (let i = 1; i <= count; i++) {
        const text = `{"symbol":"ACME","bid":${100 + i}}`.repeat(i % 7 === 0 ? 9 : 1);
        const properties = { side: i % 2 === 0 ? "buy" : "sell" };
        await publisher.publish(topic(String((i % 3) + 1)), text, { properties });
      }
      for (const [i, messages] of [100, 100, 100, count, 100, 150].entries()) {
        await until(`subscription ${i} is complete`, () =>
          [plain[i], compressed[i]].every((received) => received.messages.length === messages),
        );
        assert.deepEqual(payloads(compressed[i]), payloads(plain[i]), `subscription ${i}`);
        assert.deepEqual(compressed[i].gaps, []);
      }
      await until("the newest message with a rate has come", () =>
        [plain[6], compressed[6]].every(
          (received) => payloads(received).at(-1) === payloads(plain[1]).at(-1),
        ),
      );
      const after = await gateway.metric('sluice_compression_messages_total{form="next"}');
      assert.ok(after - before > count, String(after - before));
    });
  }

  test("shouldReconnectToAKilledNodeAndReportAGap", async () => {
    const client = open({});
    const received = await subscribe(client, "sdk.killed");
    await client.publish("sdk.killed", "before");
    await until("it has come", () => received.messages.length === 1);
    await gateway.stop("SIGKILL");
    await until("it is reported", () => client.state.status === "connecting");
    await gateway.start();
    await until(
      "it is back",
      () => received.states.at(-1) !== "pending" && client.state.status === "open",
    );
    // A node without a log cannot detect which messages were missed.
    await until("the gap is reported", () => received.gaps.length === 1);
    await client.publish("sdk.killed", "after");
    await until("it continues", () => received.messages.length === 2);
    assert.deepEqual(received.gaps, ["not-recovered"]);
  });

  test("shouldReportAnOutageOfTheBroker", async () => {
    const client = open({});
    const received = await subscribe(client, "sdk.outage");
    await broker.stop("SIGKILL");
    await until("it is stale", () => client.state.status === "stale");
    await broker.start();
    await until("it is live", () => client.state.status === "open");
    assert.deepEqual(received.gaps, ["broker-lost"]);
    await client.publish("sdk.outage", "after");
    await until("it continues", () => received.messages.length === 1);
  });

  test("shouldLeaveADrainingNodeAutomatically", async () => {
    const client = open({});
    await subscribe(client, "sdk.drained");
    const reported = [];
    client.on("draining", () => reported.push("draining"));
    await gateway.stop("SIGTERM");
    await gateway.start();
    await until("it is back", () => client.state.status === "open");
    assert.deepEqual(reported, ["draining"]);
  });
});
