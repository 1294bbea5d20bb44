import "./dom-elements.js";
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Encoding } from "../src/index.js";
import { attachDevtools, observe } from "../src/devtools.js";
import { createTestBroker, type TestBroker, type TestNode } from "../src/testing.js";
import { isSluiceError, until } from "./support.js";

describe("developer panel", () => {
  let broker: TestBroker;
  let node: TestNode;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    broker = createTestBroker();
    node = broker.node();
  });

  afterEach(() => {
    broker.close();
    mock.timers.reset();
    document.body.replaceChildren();
  });

  const root = (): ShadowRoot => {
    const found = document.querySelector("sluice-devtools")?.shadowRoot;
    if (!found) throw new Error("no panel");
    return found;
  };
  const textOf = (id: string): string => root().getElementById(id)?.textContent ?? "";
  const rowsOf = (id: string): string[][] =>
    [...(root().getElementById(id)?.querySelectorAll("tr") ?? [])].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.textContent),
    );
  const click = (label: string): void => {
    const buttons = [...root().querySelectorAll("button")];
    buttons.find(({ textContent }) => textContent === label)?.click();
  };

  function openObserved(encoding: Encoding = "binary") {
    const observation = observe(node.options.WebSocket);
    const client = node.connect({ encoding, WebSocket: observation.WebSocket, token: "secret" });
    client.on("error", () => undefined);
    const detach = attachDevtools(client, observation);
    return { client, detach };
  }

  for (const encoding of ["binary", "json"] as const) {
    test(`shouldShowSubscriptions ${encoding}`, async () => {
      broker.publish("a.1", "before");
      broker.publish("a.1", "newest");
      const { client } = openObserved(encoding);
      client.subscribe("a.*", () => undefined, { from: "snapshot" });
      client.subscribe("b", () => undefined);
      await broker.idle();
      for (const text of ["1", "2"]) broker.publish("a.1", text);
      node.loseMessages("b");
      broker.publish("b", "3");
      await broker.idle();
      mock.timers.tick(1_000);
      const rows = rowsOf("topics").map(([topic, offset, messages, , gaps]) => [
        topic,
        offset,
        messages,
        gaps,
      ]);
      assert.deepEqual(rows, [
        ["a.*", "4", "3", "0"],
        ["b", "2", "1", "1"],
      ]);
      assert.match(textOf("status"), /^open$/);
      assert.match(textOf("node"), /node node-1 .* · websocket · clock offset .* · latency/);
      assert.deepEqual(
        rowsOf("gaps").map((row) => row.slice(1)),
        [["b", "overload"]],
      );
    });
  }

  test("shouldShowTheLastFrameOfEachTypeWithoutTokens", async () => {
    const { client } = openObserved();
    client.subscribe("a", () => undefined);
    await broker.idle();
    broker.publish("a", "1");
    broker.publish("a", "2");
    await broker.idle();
    mock.timers.tick(1_000);
    const frames = new Map(
      rowsOf("frames").map(([from, type, ...rest]) => [`${from ?? ""} ${type ?? ""}`, rest]),
    );
    assert.equal(frames.get("received binary")?.[0], "2");
    assert.match(frames.get("sent subscribe")?.[1] ?? "", /"topic":"a"/);
    assert.doesNotMatch(String(frames.get("sent connect")), /secret/);
  });

  test("shouldNotInterpretMarkup", async () => {
    const { client } = openObserved("json");
    client.subscribe("a", () => undefined);
    await broker.idle();
    broker.publish("a", "<img src=x>");
    await broker.idle();
    mock.timers.tick(1_000);
    assert.match(textOf("frames"), /<img src=x>/);
    assert.equal(root().querySelector("img"), null);
  });

  test("shouldCutTheConnectionAndReconnect", async () => {
    const { client } = openObserved();
    await broker.idle();
    click("Cut connection");
    assert.equal(client.state.status, "connecting");
    assert.match(textOf("status"), /^connecting after 1 failures, last close code 1006$/);
    click("Reconnect now");
    await until("it is back", () => client.state.status === "open");
    await broker.idle();
    assert.equal(node.connections.length, 1);
    assert.equal(textOf("status"), "open");
  });

  test("shouldShowTheStateWithoutAnObservation", async () => {
    const client = node.connect();
    attachDevtools(client);
    await broker.idle();
    assert.equal(textOf("status"), "open");
    assert.equal(root().getElementById("topics"), null);
    assert.equal(root().querySelectorAll("button").length, 1);
  });

  test("shouldLeaveNothingBehind", async () => {
    const { client, detach } = openObserved();
    await broker.idle();
    detach();
    assert.equal(document.querySelector("sluice-devtools"), null);
    client.close();
    mock.timers.tick(10_000);
  });

  test("shouldNameRegionsTablesAndColumns", () => {
    openObserved();
    const section = root().querySelector("section");
    assert.equal(section?.ariaLabel, "Sluice developer panel");
    for (const table of root().querySelectorAll("table")) {
      assert.ok(table.querySelector("caption")?.textContent);
      for (const cell of table.querySelectorAll("th")) assert.equal(cell.scope, "col");
    }
    assert.equal(root().getElementById("status")?.role, "status");
  });

  test("shouldRejectInvalidArguments", () => {
    const client = node.connect();
    assert.throws(() => observe(7 as never), isSluiceError("invalid-argument"));
    assert.throws(() => attachDevtools(client, {} as never), isSluiceError("invalid-argument"));
  });
});
