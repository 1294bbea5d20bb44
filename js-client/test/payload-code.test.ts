import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import type { Client, SluiceError } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

describe("payload code that cannot be loaded", { timeout: 60_000 }, () => {
  let folder: string;
  let node: ScriptedNode;
  let client: Client;
  let session: ScriptedSession;
  let errors: SluiceError[];

  beforeEach(async () => {
    // A copy of the client without its code for payloads.
    folder = await mkdtemp(join(SOURCE, "..", "without-schema-"));
    const filter = (path: string): boolean => !path.endsWith("/schema.js");
    await cp(SOURCE, folder, { recursive: true, filter });
    const index = pathToFileURL(join(folder, "index.js")).href;
    const { connect } = (await import(index)) as typeof import("../src/index.js");
    node = await ScriptedNode.start();
    errors = [];
    client = connect(node.url, { WebSocket, encoding: "json" });
    client.on("error", (error) => errors.push(error));
    session = await node.session();
    await session.next("connect");
    session.hello();
    await until("open", () => client.state.status === "open");
  });

  afterEach(async () => {
    client.close();
    await node.stop();
    await rm(folder, { recursive: true });
  });

  test("shouldEndTheSubscriptionWithTheError", async () => {
    const seen: unknown[] = [];
    const subscription = client.subscribe(
      "a",
      {
        onMessage: ({ payload }) => seen.push(payload),
        onState: (state) => seen.push(state.status),
        onError: ({ code, message, topic }) =>
          seen.push([code, message.includes("schema.js"), topic]),
      },
      { payload: "json" },
    );
    await until("reported", () => seen.length === 2);
    assert.deepEqual(seen, ["refused", ["not-loaded", true, "a"]]);
    assert.deepEqual(errors, []);
    await session.next("unsubscribe");
    const { state } = subscription;
    assert.equal(state.status === "refused" && state.error.code, "not-loaded");
    subscription.unsubscribe();
    assert.equal(subscription.state, state);
  });

  test("shouldReportTheErrorWithoutACallback", async () => {
    const { position } = client.subscribe("a", () => undefined, { payload: "text" });
    await until("reported", () => errors.length > 0);
    assert.deepEqual([errors[0]?.code, errors[0]?.topic, position], ["not-loaded", "a", undefined]);
  });

  test("shouldKeepThePositionOfTheLastDelivery", async () => {
    const from = { epoch: "e", offset: 7 };
    const subscription = client.subscribe("a", () => undefined, { payload: "text", from });
    await until("reported", () => errors.length > 0);
    assert.equal(subscription.position?.offset, 7);
  });

  test("shouldFailALoop", async () => {
    await assert.rejects(client.messages("a", { payload: "text" }).next(), { code: "not-loaded" });
    assert.deepEqual(errors, []);
  });

  test("shouldNotReportTheErrorAfterTheEnd", async () => {
    client.subscribe("b", () => undefined, { payload: "text" }).unsubscribe();
    client.subscribe("a", () => undefined, { payload: "text" });
    await until("reported", () => errors.length > 0);
    assert.deepEqual(
      errors.map(({ topic }) => topic),
      ["a"],
    );
  });
});
