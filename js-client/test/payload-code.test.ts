import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import type { Client, SluiceError } from "../src/index.js";
import { MAX_WAITING } from "../src/received.js";
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
    const filter = (path: string): boolean => !path.endsWith("schema.js");
    await cp(SOURCE, folder, { recursive: true, filter });
    await cp(join(SOURCE, "standard-schema.js"), join(folder, "standard-schema.js"));
    const index = pathToFileURL(join(folder, "index.js")).href;
    const { connect } = (await import(index)) as typeof import("../src/index.js");
    node = await ScriptedNode.start();
    errors = [];
    client = connect(node.url, { WebSocket, encoding: "json" });
    client.on("error", (error) => errors.push(error));
    session = await node.session();
    session.hello();
    await until("open", () => client.state.status === "open");
  });

  afterEach(async () => {
    client.close();
    await node.stop();
    await rm(folder, { recursive: true });
  });

  async function restoreCode(): Promise<void> {
    await cp(join(SOURCE, "schema.js"), join(folder, "schema.js"));
  }

  /** Waits until the client has received messages, by a subscription without conversion. */
  async function countOthers(): Promise<(count: number) => Promise<void>> {
    let received = 0;
    client.subscribe("a", () => received++);
    await session.subscribed();
    return (count) => until("all have come", () => received === count);
  }

  test("shouldHoldMessagesUntilTheCodeIsLoaded", async () => {
    const seen: unknown[] = [];
    const observer = {
      onMessage: ({ payload }: { readonly payload: unknown }) => seen.push(payload),
      onGap: ({ reason }: { readonly reason: string }) => seen.push(reason),
    };
    const subscription = client.subscribe("a", observer, { payload: "json" });
    const allCame = await countOthers();
    session.message("a", 1, "[1]");
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 1, time: 1 });
    session.message("a", 2, "[2]");
    await allCame(2);
    await until("reported", () => errors.length > 0);
    assert.equal(errors[0]?.code, "not-loaded");
    assert.match(errors[0].message, /schema\.js/);
    assert.equal(errors[0].topic, "a");
    assert.deepEqual([seen, subscription.position], [[], undefined]);
    await restoreCode();
    await until("delivered", () => seen.length === 3);
    assert.deepEqual(seen, [[1], "overload", [2]]);
    assert.equal(subscription.position?.offset, 2);
  });

  test("shouldReportAGapForMessagesAboveTheLimit", async () => {
    const seen: unknown[] = [];
    const gaps: string[] = [];
    client.on("gap", ({ reason }) => gaps.push(reason));
    const observer = {
      onMessage: ({
        offset,
        gapBefore,
      }: {
        readonly offset: number;
        readonly gapBefore: unknown;
      }) => seen.push([offset, gapBefore]),
      onGap: ({ reason }: { readonly reason: string }) => seen.push(reason),
    };
    client.subscribe("a", observer, { payload: "text" });
    const allCame = await countOthers();
    for (let offset = 1; offset <= MAX_WAITING + 3; offset++) session.message("a", offset, "x");
    await allCame(MAX_WAITING + 3);
    await restoreCode();
    await until("delivered", () => seen.length > MAX_WAITING);
    assert.deepEqual(seen.slice(-2), [[MAX_WAITING, undefined], "buffer-full"]);
    assert.deepEqual(gaps, ["buffer-full"]);
    session.message("a", MAX_WAITING + 4, "x");
    await until("the next one", () => seen.length === MAX_WAITING + 2);
    assert.deepEqual(seen.at(-1), [MAX_WAITING + 4, "buffer-full"]);
  });

  test("shouldNotLoadTheCodeAfterTheEnd", async () => {
    const seen: unknown[] = [];
    const { unsubscribe } = client.subscribe("a", (message) => seen.push(message), {
      payload: "text",
    });
    const allCame = await countOthers();
    session.message("a", 1, "x");
    await allCame(1);
    await until("reported", () => errors.length > 0);
    unsubscribe();
    // The code of the second subscription is loaded after the first one would have loaded it.
    let received = 0;
    client.subscribe("a", () => received++, { payload: "text", rate: 5 });
    const { ref } = await session.subscribed();
    session.message("a", 2, "y", { ref });
    await restoreCode();
    await until("received", () => received === 1);
    assert.deepEqual(seen, []);
  });
});
