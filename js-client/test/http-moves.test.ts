import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../src/index.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { until } from "./support.js";

test("shouldMoveByHttpAndAskNothingMoreOfTheOldNode", { timeout: 60_000 }, async () => {
  const [old, other] = [await ScriptedGateway.start(), await ScriptedGateway.start()];
  old.passage = other.passage = "refused";
  const client = connect(old.url, { WebSocket, encoding: "json", minBackoff: 5, maxBackoff: 20 });
  const heard: unknown[] = [];
  const states: string[] = [];
  let moves = 0;
  client.on("state", ({ status }) => states.push(status));
  client.on("moved", () => moves++);
  client.subscribe("a", ({ payload }) => heard.push(payload));
  try {
    const stream = await old.stream();
    stream.hello();
    await stream.subscribed(0, { epoch: "00000000000000a1" });
    stream.message("a", 1, "one");
    await until("a message", () => heard.length === 1);
    stream.send({ type: "draining", deadline: Date.now() + 20_000, url: other.url });
    const next = await other.stream();
    client.subscribe("b", ({ payload }) => heard.push(payload));
    stream.message("a", 2, "two");
    await until("the old one counts", () => heard.length === 2);
    next.hello();
    const recovered = { epoch: "00000000000000b2", recovered: true, time: undefined };
    await next.subscribed(5, recovered);
    // The stream is renewed there for what was asked later.
    const renewed = await other.stream();
    renewed.hello();
    const { topic } = await renewed.subscribed(6, { ...recovered, replay: 1 });
    assert.equal(topic, "a");
    renewed.message("a", 6, "three", { id: "0000000000000003" });
    await renewed.subscribed(0, { epoch: "00000000000000b3" });
    renewed.message("b", 1, "four", { id: "00000000000000f4" });
    await until("all came", () => heard.length === 4);
    assert.deepEqual(heard, ["one", "two", "three", "four"]);
    assert.equal(moves, 1);
    assert.deepEqual(states.slice(states.indexOf("open")), ["open", "draining", "open"]);
    assert.equal(old.requests, 1);
  } finally {
    client.close();
    await Promise.all([old.stop(), other.stop()]);
  }
});
