import assert from "node:assert/strict";
import { cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import { z } from "zod";
import { extend } from "../src/engine/extensions.js";
import type { Client, ConnectOptions, DebugEntry, SluiceError } from "../src/index.js";
import { toSettings } from "../src/engine/options.js";
import { answerConsume, deliver, FEATURES } from "./full-duplex.js";
import { HandClock } from "./hand-clock.js";
import { ScriptedNode } from "./scripted-node.js";
import { until } from "./support.js";

const STOCK = z.object({ price: z.number() });
const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

describe("optional parts that cannot be loaded", { timeout: 60_000 }, () => {
  let folder: string;
  let node: ScriptedNode;
  let client: Client;
  let errors: SluiceError[];
  let entries: DebugEntry[];
  let clock: HandClock;

  beforeEach(async () => {
    folder = await mkdtemp(join(SOURCE, "..", "without-parts-"));
    await cp(SOURCE, folder, { recursive: true });
    node = await ScriptedNode.start();
    errors = [];
    entries = [];
    clock = new HandClock();
  });

  afterEach(async () => {
    client.close();
    await node.stop();
    await rm(folder, { recursive: true });
  });

  async function open(options: ConnectOptions): Promise<void> {
    const index = pathToFileURL(join(folder, "index.js")).href;
    const { connect } = (await import(index)) as typeof import("../src/index.js");
    client = connect(node.url, { WebSocket, encoding: "json", clock, ...options });
    client.on("error", (error) => errors.push(error));
  }

  const debug = (entry: DebugEntry): unknown => entries.push(entry);

  /** Opens the session; returns whether the client accepts compressed frames. */
  async function isCompressed(): Promise<unknown> {
    const session = await node.session();
    session.hello();
    const connected = await session.next("connect");
    await until("open", () => client.state.status === "open");
    return connected["compressed"];
  }

  test("shouldConnectAndLogWithoutCompression", async () => {
    await rm(join(folder, "transport/compression.js"));
    await open({ compression: true, debug });
    assert.equal(await isCompressed(), undefined);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["not-loaded"],
    );
    assert.match(
      errors[0]?.message ?? "",
      /^cannot load the code of compression: .*compression\.js/,
    );
    assert.equal(entries[0]?.kind, "connect");
    assert.match(entries[0].text, /^without compression: cannot load .*compression\.js/);
    assert.match(entries[1]?.text ?? "", /^WebSocket to /);
  });

  test("shouldConnectWithoutALog", async () => {
    await rm(join(folder, "engine/debug.js"));
    await open({ compression: true, debug });
    assert.equal(await isCompressed(), true);
    assert.match(errors[0]?.message ?? "", /^cannot load the code of debug: .*debug\.js/);
    assert.deepEqual(entries, []);
  });

  test("shouldNotWaitForCompressionWithoutLimit", async () => {
    await writeFile(
      join(folder, "transport/compression.js"),
      "await new Promise(() => undefined);",
    );
    await open({ compression: true, debug, connectTimeout: 3_000 });
    await until("the code is being loaded", () => clock.pendingTimers > 0);
    clock.pass(2_999);
    assert.equal(errors.length, 0);
    clock.pass(1);
    assert.equal(await isCompressed(), undefined);
    assert.equal(errors[0]?.code, "not-loaded");
    assert.match(errors[0].message, /timeout after 3000 ms$/);
    assert.match(entries[0]?.text ?? "", /^without compression: /);
  });

  test("shouldCloseIfAnotherUserCannotEndTheSession", async () => {
    await rm(join(folder, "engine/session-watch.js"));
    const owned = pathToFileURL(join(folder, "bindings/owned-client.js")).href;
    const { OwnedClient } = (await import(
      owned
    )) as typeof import("../src/bindings/owned-client.js");
    const options = { WebSocket, encoding: "json", publishTimeout: 500 } as const;
    const ofAnn = new OwnedClient(node.url, options, "ann");
    client = ofAnn;
    ofAnn.retain();
    const session = await node.session();
    session.hello({ subject: "ann" });
    await until("open", () => client.state.status === "open");
    ofAnn.updateIdentity("bob");
    await assert.rejects(client.publish("a", "of bob"), { code: "closed" });
    await assert.rejects(client.publish("a", "of bob, too"), { code: "closed" });
    await until("the session has ended", () => session.closeCode === 1000);
    assert.equal(session.count("publish"), 0);
  });

  test("shouldRefuseAConsumerWhoseSchemaCannotBeChecked", async () => {
    const file = join(folder, "engine/schema.js");
    await rename(file, `${file}.missing`);
    await open({ minBackoff: 5, maxBackoff: 20 });
    const session = await node.session();
    session.hello({ features: FEATURES });
    await until("open", () => client.state.status === "open");
    const handled: number[] = [];
    const consumer = await client
      .queue("orders")
      .consume(({ payload }) => handled.push(payload.price), { schema: STOCK, credit: 2 });
    const { ref } = await answerConsume(session);
    deliver(session, ref, 1, { payload: '{"price":1}' });
    deliver(session, ref, 2, { payload: '{"price":2}' });
    await until("refused", () => consumer.state.status === "refused");
    assert.equal((await session.next("unsubscribe"))["subscription"], ref);
    assert.equal(session.count("release") + session.count("reject"), 0);
    assert.deepEqual(
      errors.map(({ code, message }) => [code, message]),
      [["not-sent", "cannot load schema.js"]],
    );

    await rename(`${file}.missing`, file);
    session.cut();
    await until("lost", () => client.state.status === "connecting");
    clock.pass(20);
    const next = await node.session();
    next.hello({ features: FEATURES });
    const again = await answerConsume(next);
    deliver(next, again.ref, 1, { payload: '{"price":1}' });
    assert.equal((await next.next("ack"))["tag"], 1);
    assert.deepEqual(handled, [1]);
  });

  for (const [compression, shown] of [
    ["yes", '"yes"'],
    [1, "1"],
  ] as const) {
    test(`shouldReportAnInvalidOptionAndConnect ${shown}`, async () => {
      await open({ compression: compression as never, debug });
      assert.equal(await isCompressed(), undefined);
      assert.equal(errors[0]?.code, "invalid-argument");
      assert.equal(errors[0].message, `compression must be a boolean or an object, not ${shown}`);
      assert.match(entries[0]?.text ?? "", /^without compression: compression must be a boolean/);
    });
  }
});

test("shouldKeepNoTimerOfLoadedParts", async () => {
  const clock = new HandClock();
  const client = { on: () => undefined } as unknown as Client;
  const options = { compression: true, debug: (): undefined => undefined, WebSocket, clock };
  const settings = await extend(client, toSettings("ws://a.example", options), (error) => {
    throw error;
  });
  assert.ok(settings.createInflater);
  assert.notEqual(settings.WebSocket, WebSocket);
  assert.equal(clock.pendingTimers, 0);
});
