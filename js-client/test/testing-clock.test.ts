import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import type { Client } from "../src/index.js";
import { createTestBroker, createTestClock } from "../src/testing.js";
import { isSluiceError } from "./support.js";

const statusOf = ({ state }: Client): string => state.status;

describe("test clock", () => {
  test("shouldRunTimersInOrderAtTheirTime", async () => {
    const clock = createTestClock(1_000);
    const runs: [string, number][] = [];
    const run = (name: string) => () => runs.push([name, clock.now()]);
    clock.setTimeout(run("late"), 20);
    clock.setTimeout(run("early"), 10);
    clock.setTimeout(run("same"), 10);
    clock.clearTimeout(clock.setTimeout(run("cancelled"), 15));
    clock.setTimeout(() => clock.setTimeout(run("nested"), 5), 10);
    await clock.advance(15);
    assert.deepEqual(runs, [
      ["early", 1_010],
      ["same", 1_010],
      ["nested", 1_015],
    ]);
    assert.equal(clock.pendingTimers, 1);
    assert.equal(clock.now(), 1_015);
    await assert.rejects(clock.advance(-1), isSluiceError("invalid-argument"));
  });

  test("shouldControlReconnects", async () => {
    const clock = createTestClock();
    const broker = createTestBroker({ clock });
    const node = broker.node();
    const client = node.connect({ minBackoff: 1_000 });
    await broker.idle();
    node.refuseConnections();
    node.cutConnections();
    await broker.idle();
    assert.equal(statusOf(client), "connecting");
    assert.equal((client.state as { retryAt: number }).retryAt, clock.now() + 500);
    await clock.advance(499);
    node.acceptConnections();
    assert.equal(statusOf(client), "connecting");
    await clock.advance(1);
    assert.equal(statusOf(client), "open");
    broker.close();
    await broker.idle();
    assert.equal(clock.pendingTimers, 0);
  });

  test("shouldRefreshATokenBeforeItExpires", async () => {
    const clock = createTestClock();
    const broker = createTestBroker({ clock, tokenLifetime: 60_000 });
    const node = broker.node();
    let serial = 0;
    const client = node.connect({ token: () => `token-${String(++serial)}` });
    const states: string[] = [];
    client.on("state", ({ status }) => states.push(status));
    const fixed = node.connect({ token: "fixed" });
    fixed.on("error", () => undefined);
    await clock.advance(60_000);
    assert.equal(node.connections[0]?.token, "token-2");
    assert.deepEqual(states, ["open"]);
    assert.equal(statusOf(fixed), "closed");
    broker.close();
  });

  test("shouldCloseTheRestAfterADrain", async () => {
    const clock = createTestClock();
    const broker = createTestBroker({ clock });
    const node = broker.node();
    const client = node.connect({ redirect: false });
    await broker.idle();
    node.drain({ ms: 3_000 });
    await clock.advance(2_999);
    assert.equal(statusOf(client), "draining");
    await clock.advance(1);
    assert.equal(statusOf(client), "connecting");
    assert.equal(node.connections.length, 0);
    node.acceptConnections();
    await clock.advance(30_000);
    assert.equal(statusOf(client), "open");
    broker.close();
  });

  test("shouldLimitTheRate", async () => {
    const clock = createTestClock();
    const broker = createTestBroker({ clock });
    const received: unknown[] = [];
    const client = broker.node().connect();
    client.subscribe("a.*", ({ payload }) => received.push(payload), { rate: 2 });
    await broker.idle();
    for (const text of ["1", "2", "3"]) broker.publish("a.x", text);
    broker.publish("a.y", "4");
    await broker.idle();
    assert.deepEqual(received, ["1"]);
    await clock.advance(500);
    assert.deepEqual(received, ["1", "3", "4"]);
    await clock.advance(500);
    broker.publish("a.x", "5");
    await broker.idle();
    assert.deepEqual(received, ["1", "3", "4", "5"]);
    broker.close();
  });

  test("shouldDelayPublishes", async () => {
    const clock = createTestClock();
    const broker = createTestBroker({ clock });
    await broker.node().connect().publish("a", "1", { delay: 1_000 });
    await clock.advance(999);
    assert.equal(broker.messages("a").length, 0);
    await clock.advance(1);
    assert.equal(broker.messages("a").length, 1);
    broker.close();
  });

  test("shouldWorkWithFakeTimers", async () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_763_700_000_000 });
    try {
      const broker = createTestBroker();
      const node = broker.node();
      const client = node.connect({ minBackoff: 1_000 });
      await broker.idle();
      assert.equal(statusOf(client), "open");
      node.cutConnections();
      await broker.idle();
      assert.equal(statusOf(client), "connecting");
      mock.timers.tick(500);
      await broker.idle();
      assert.equal(statusOf(client), "open");
      broker.close();
    } finally {
      mock.timers.reset();
    }
  });
});
