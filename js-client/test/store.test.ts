import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { WebSocket } from "ws";
import {
  connect,
  LoggedOut,
  type Client,
  type ConnectOptions,
  type GapReason,
  type SluiceError,
  type SubscribeOptions,
} from "../src/index.js";
import { indexedDb, type IndexedDbOptions, type IndexedDbStore } from "../src/store.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

/** Page with a client and what its subscription has received. */
interface Page {
  readonly client: Client;
  readonly store: IndexedDbStore;
  readonly received: string[];
  readonly errors: SluiceError[];
}

describe("message store", { timeout: 120_000 }, () => {
  const globals = globalThis as { indexedDB?: IDBFactory };
  let node: ScriptedNode;
  let pages: Page[];

  beforeEach(async () => {
    globals.indexedDB = new IDBFactory();
    node = await ScriptedNode.start();
    pages = [];
  });

  afterEach(async () => {
    for (const { client } of pages) client.close();
    await node.stop();
    delete globals.indexedDB;
  });

  /** Opens a page that subscribes to `orders.*`, with a store that earlier pages have used. */
  function open(
    bounds: Partial<IndexedDbOptions> = {},
    options: ConnectOptions = {},
    subscribe: SubscribeOptions = {},
    url = node.url,
  ): Page {
    const store = indexedDb({ identity: "ann", topics: ["orders.>"], ...bounds });
    const client = connect(url, {
      WebSocket,
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      transports: ["websocket"],
      store,
      ...options,
    });
    const page: Page = { client, store, received: [], errors: [] };
    pages.push(page);
    client.on("error", (error) => page.errors.push(error));
    observe(page, subscribe);
    return page;
  }

  function observe({ client, received }: Page, options: SubscribeOptions = {}): void {
    client.subscribe(
      "orders.*",
      {
        onMessage: ({ payload, stored }) =>
          received.push(`${String(payload)}${stored ? " stored" : ""}`),
        onGap: ({ reason }) => received.push(`gap ${reason}`),
      },
      options,
    );
  }

  async function session(members: object = {}): Promise<ScriptedSession> {
    const opened = await node.session();
    opened.hello({ ...members });
    return opened;
  }

  /** Receives messages with these offsets at a page, and waits until they are stored. */
  async function receive(page: Page, from: ScriptedSession, ...offsets: number[]): Promise<void> {
    for (const offset of offsets) {
      from.message("orders.eu", offset, `m${String(offset)}`, { pattern: "orders.*" });
    }
    const last = `m${String(offsets.at(-1))}`;
    await until("received", () => page.received.includes(last));
    await stored(page, last);
  }

  async function stored({ store }: Page, payload: string): Promise<void> {
    let isStored = false;
    const look = async (): Promise<void> => {
      const inbox = await store.inbox("orders.*");
      isStored = inbox.some((message) => message.payload === payload);
      if (!isStored) await look();
    };
    await look();
    assert.ok(isStored);
  }

  test("shouldShowStoredMessagesWithoutNodeAndResumeAtTheirPosition", async () => {
    const first = open();
    const before = await session();
    await before.subscribed();
    await receive(first, before, 1, 2, 3);
    first.client.close();
    const { port, url } = node;
    await node.stop();

    const second = open({}, {}, {}, url);
    const shown = ["m1 stored", "m2 stored", "m3 stored"];
    await until("shown", () => second.received.length === shown.length);
    assert.deepEqual(second.received, shown);
    assert.equal(second.client.state.status, "connecting");

    node = await ScriptedNode.start(port);
    const after = await session();
    const request = await after.subscribed(4, { replay: 1, recovered: true });
    const { offset, ids } = request["from"] as { offset: number; ids: string[] };
    assert.deepEqual([offset, ids.length], [3, 3]);
    await receive(second, after, 4);
    assert.deepEqual(second.received, [...shown, "m4"]);
  });

  test("shouldContinueAfterPageThatEndedWithoutClosing", async () => {
    const killed = open();
    const before = await session();
    await before.subscribed();
    await receive(killed, before, 1, 2);
    const next = open();
    await until("shown", () => next.received.length === 2);
    const after = await session();
    const request = await after.subscribed(2, { recovered: true });
    assert.equal((request["from"] as { offset: number }).offset, 2);
    await receive(next, after, 3);
    assert.deepEqual(next.received, ["m1 stored", "m2 stored", "m3"]);
  });

  test("shouldNotRepeatStoredMessagesThatAnotherNodeReplays", async () => {
    const first = open();
    const before = await session();
    await before.subscribed();
    const offsets = Array.from({ length: 12 }, (_, i) => i + 1);
    await receive(first, before, ...offsets);
    first.client.close();
    const second = open();
    const after = await session();
    await after.subscribed(14, { epoch: "2f0a6c2b9d3e4f58", replay: 4, recovered: true });
    const pattern = "orders.*";
    after.message("orders.eu", 11, "m1", { pattern, id: "0000000000000001" });
    for (const offset of [12, 13, 14]) {
      after.message("orders.eu", offset, `m${String(offset)}`, { pattern });
    }
    await until("live", () => second.received.includes("m14"));
    const shown = offsets.map((offset) => `m${String(offset)} stored`);
    assert.deepEqual(second.received, [...shown, "m13", "m14"]);
  });

  test("shouldShowStoredGapAtItsPlace", async () => {
    const first = open();
    const before = await session();
    await before.subscribed();
    await receive(first, before, 1);
    const gap = { topic: "orders.*", reason: "overload" satisfies GapReason, offset: 5, time: 9 };
    before.send({ type: "gap", ...gap });
    await receive(first, before, 6);
    first.client.close();
    const second = open();
    const shown = ["m1 stored", "gap overload", "m6 stored"];
    await until("shown", () => second.received.length === shown.length);
    assert.deepEqual(second.received, shown);
  });

  for (const [name, bounds] of Object.entries({
    messages: { messages: 3 },
    bytes: { bytes: 1_024 },
  })) {
    test(`shouldRemoveOldestBeyondLimitOf ${name}`, async () => {
      const page = open(bounds);
      const at = await session();
      await at.subscribed();
      const offsets = [1, 2, 3, 4, 5, 6, 7, 8];
      for (const offset of offsets) await receive(page, at, offset);
      const inbox = await page.store.inbox("orders.*");
      const kept = inbox.map(({ offset }) => offset);
      assert.deepEqual(kept, offsets.slice(-kept.length));
      assert.ok(kept.length <= 4 && kept.length > 1, String(kept.length));
    });
  }

  test("shouldNotShowMessagesBeyondMaximumAge", async (context) => {
    const first = open();
    const before = await session();
    await before.subscribed();
    await receive(first, before, 1);
    first.client.close();
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 1_000 });
    const { store } = open({ age: 999 });
    assert.deepEqual(await store.inbox("orders.*"), []);
  });

  test("shouldShowNothingOfAnotherIdentity", async () => {
    const first = open();
    const before = await session();
    await before.subscribed();
    await receive(first, before, 1);
    first.client.close();
    const second = open({ identity: "bob" });
    const after = await session();
    const request = await after.subscribed();
    assert.equal(request["from"], undefined);
    assert.deepEqual(second.received, []);
  });

  test("shouldStartAnewForAnotherSubjectWithTheSameIdentity", async () => {
    const first = open();
    const before = await session({ subject: "ann" });
    await before.subscribed();
    await receive(first, before, 1);
    first.client.close();
    const second = open();
    await until("shown", () => second.received.length === 1);
    const after = await session({ subject: "bob" });
    await until("gap", () => second.received.length === 2);
    assert.deepEqual(second.received, ["m1 stored", "gap identity-changed"]);
    assert.deepEqual(await second.store.inbox("orders.*"), []);
    let request;
    do request = await after.next("subscribe");
    while (request["from"] !== undefined);
  });

  test("shouldStoreNothingOfTheNextUserOfTheClient", async () => {
    let subject = "ann";
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = (): string => `${encode({ alg: "none" })}.${encode({ sub: subject })}.`;
    const page = open({}, { token });
    const first = await session();
    await first.subscribed();
    await receive(page, first, 1);
    subject = "bob";
    first.cut();
    await until("changed", () => page.received.includes("gap identity-changed"));
    await node.session(); // ended by the change
    const second = await session();
    await second.subscribed();
    const late: unknown[] = [];
    page.client.subscribe("orders.late", ({ payload }) => late.push(payload));
    await second.subscribed();
    second.message("orders.eu", 1, "of bob", { pattern: "orders.*" });
    second.message("orders.late", 1, "late of bob");
    await until("received", () => late.length === 1);
    page.client.close();
    assert.ok(page.received.includes("of bob"));
    const next = open();
    assert.deepEqual(await next.store.inbox("orders.*"), []);
    assert.deepEqual(await next.store.inbox("orders.late"), []);
  });

  test("shouldResumeSubscriptionWithSelector", async () => {
    const where = "region = 'EU'";
    const first = open({}, {}, { where });
    const before = await session({ features: ["selectors"] });
    await before.subscribed(0, { tagged: true });
    const { ref } = before.frames.find(({ type }) => type === "subscribe") ?? {};
    before.message("orders.eu", 1, "m1", { pattern: "orders.*", ref });
    await until("received", () => first.received.length === 1);
    first.client.close();
    const second = open({}, {}, { where });
    await until("shown", () => second.received.length === 1);
    const after = await session({ features: ["selectors"] });
    const request = await after.next("subscribe");
    assert.equal(request["where"], where);
    assert.deepEqual((request["from"] as { where?: string; offset: number }).where, undefined);
    assert.equal((request["from"] as { offset: number }).offset, 1);
  });

  test("shouldRemoveMessagesAtLogout", async () => {
    let isLoggedIn = true;
    const token = (): string => {
      if (isLoggedIn) return "token";
      throw new LoggedOut();
    };
    const page = open({}, { token });
    const at = await session();
    await at.subscribed();
    await receive(page, at, 1);
    isLoggedIn = false;
    at.close(4401, "unauthorized");
    await until("closed", () => page.client.state.status === "closed");
    assert.deepEqual(await page.store.inbox("orders.*"), []);
  });

  test("shouldShareTheStreamWithLaterObserverAndNotWithAnotherStart", async () => {
    const page = open();
    const at = await session();
    await at.subscribed();
    await receive(page, at, 1);
    observe(page);
    observe(page, { from: "snapshot" });
    assert.equal((await at.next("subscribe"))["from"], "snapshot");
    assert.equal(at.count("subscribe"), 2);
    at.message("orders.eu", 2, "m2", { pattern: "orders.*" });
    await until("both", () => page.received.length === 3);
    assert.deepEqual(page.received, ["m1", "m2", "m2"]);
    await stored(page, "m2");
    const ids = (await page.store.inbox("orders.*")).map(({ offset }) => offset);
    assert.deepEqual(ids, [1, 2]);
  });

  test("shouldConvertStoredPayloads", async () => {
    const first = open();
    const before = await session();
    await before.subscribed();
    before.message("orders.eu", 1, '{"a":1}', { pattern: "orders.*" });
    await stored(first, '{"a":1}');
    first.client.close();
    const second = open({}, {}, { payload: "json" });
    await until("shown", () => second.received.length === 1);
    assert.deepEqual(second.received, ["[object Object] stored"]);
  });

  test("shouldDeliverWithoutDatabaseAndReportIt", async () => {
    delete globals.indexedDB;
    const page = open();
    const at = await session();
    await at.subscribed();
    at.message("orders.eu", 1, "m1", { pattern: "orders.*" });
    await until("received", () => page.received.includes("m1"));
    assert.deepEqual(
      page.errors.map(({ code }) => code),
      ["not-stored"],
    );
  });

  test("shouldRefuseInvalidOptionsAndSecondClient", () => {
    const valid = { identity: "ann", topics: ["a"] };
    for (const wrong of [
      { identity: "" },
      { topics: [] },
      { topics: [1] },
      { messages: 0 },
      { messages: 100_001 },
      { bytes: 1_023 },
      { age: 0 },
    ]) {
      const options = { ...valid, ...wrong } as IndexedDbOptions;
      assert.throws(() => indexedDb(options), isSluiceError("invalid-argument"));
    }
    const { store } = open();
    assert.throws(() => connect(node.url, { WebSocket, store }), isSluiceError("invalid-argument"));
  });
});
