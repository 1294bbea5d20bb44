import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Client } from "../src/engine/client-type.js";
import type { ConnectOptions, Gap, Message, SluiceError, SubscribeOptions } from "../src/index.js";
import { LoggedOut } from "../src/index.js";
import { connectShared } from "../src/shared.js";
import { SharedHub, type Locks } from "../src/shared/shared-hub.js";
import { connectThroughPort } from "../src/shared/shared-port.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

/** Options of a tab, by default of the same user. */
type TabOptions = ConnectOptions & { readonly share?: string; readonly identity?: string };

/** Web Locks of one process; `crash` releases those of a tab. */
class ProcessLocks implements Locks {
  readonly #queues = new Map<string, (() => void)[]>();

  async request(
    name: string,
    { signal }: { readonly signal?: AbortSignal },
    callback: () => unknown,
  ): Promise<unknown> {
    const queue = this.#queues.get(name);
    if (queue) await new Promise<void>((turn) => queue.push(turn));
    else this.#queues.set(name, []);
    try {
      signal?.throwIfAborted();
      return await callback();
    } finally {
      this.crash(name);
    }
  }

  /** Releases a lock; the next waiting holder acquires it. */
  crash(name: string): void {
    const next = this.#queues.get(name)?.shift();
    if (next) next();
    else this.#queues.delete(name);
  }

  /** Returns the held locks of tabs or of the worker. */
  held(of: "tab" | "worker"): string[] {
    return [...this.#queues.keys()].filter((name) => name.startsWith(`sluice-${of}-`));
  }
}

describe("shared", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let locks: ProcessLocks;
  let hub: SharedHub;
  let tabs: Client[];
  let errors: SluiceError[];

  beforeEach(async () => {
    node = await ScriptedNode.start();
    locks = new ProcessLocks();
    startWorker();
    tabs = [];
    errors = [];
  });

  afterEach(async () => {
    for (const tab of tabs) tab.close();
    await until("the worker has no connections", () => hub.size === 0);
    await node.stop();
  });

  function startWorker(): void {
    hub = new SharedHub(locks, { WebSocket, minBackoff: 5, maxBackoff: 20 });
  }

  /** Returns a port to the current worker. */
  function openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    hub.accept(port2);
    return port1;
  }

  function crashWorker(): void {
    const [worker] = locks.held("worker");
    locks.crash(worker ?? "");
  }

  function open(options: TabOptions = {}): Client {
    const tab = connectThroughPort(openPort, locks, node.url, { identity: "ann", ...options });
    tab.on("error", (error) => errors.push(error));
    tabs.push(tab);
    return tab;
  }

  async function isOpen(tab: Client): Promise<void> {
    await until("the tab's client is open", () => tab.state.status === "open");
  }

  async function first(
    options: TabOptions = {},
  ): Promise<{ tab: Client; session: ScriptedSession }> {
    const tab = open(options);
    const session = await node.session();
    session.hello();
    await isOpen(tab);
    return { tab, session };
  }

  interface Received {
    readonly payloads: unknown[];
    readonly gaps: Gap[];
    readonly position: () => unknown;
    readonly end: () => void;
  }

  function observe(tab: Client, topic: string, options: SubscribeOptions = {}): Received {
    const payloads: unknown[] = [];
    const gaps: Gap[] = [];
    const observer = {
      onMessage: (message: Message) => payloads.push(message.payload),
      onGap: (gap: Gap) => gaps.push(gap),
    };
    const subscription = tab.subscribe(topic, observer, options);
    const position = (): unknown => JSON.parse(JSON.stringify(subscription.position ?? null));
    return { payloads, gaps, position, end: subscription.unsubscribe };
  }

  test("shouldShareOneConnectionAndOneSubscription", async () => {
    const { tab, session } = await first();
    const others = [open(), open(), open()];
    for (const other of others) await isOpen(other);
    const received = [tab, ...others].map((each) => observe(each, "stocks.7"));
    await session.subscribed();
    session.message("stocks.7", 1, "one");
    session.message("stocks.7", 2, "two");
    for (const { payloads } of received) await until("two came", () => payloads.length === 2);
    for (const { payloads } of received) assert.deepEqual(payloads, ["one", "two"]);
    assert.equal(session.count("subscribe"), 1);
    assert.equal(node.sessions.length, 1);
  });

  test("shouldValidatePayloadsInTheTab", async () => {
    const price = z.object({ price: z.number() });
    const { tab, session } = await first({ schemas: { "stocks.>": price } });
    const received = [
      observe(tab, "stocks.7"),
      observe(tab, "other", { schema: z.string(), payload: "text" }),
    ];
    await session.subscribed();
    await session.subscribed();
    session.message("stocks.7", 1, '{"price":"1"}');
    session.message("stocks.7", 2, '{"price":2}');
    session.message("other", 1, "text");
    for (const { payloads } of received) await until("one came", () => payloads.length === 1);
    assert.deepEqual(received.map(({ payloads }) => payloads).flat(), [{ price: 2 }, "text"]);
    assert.equal(errors[0]?.code, "invalid-payload");
    await assert.rejects(tab.publish("stocks.7", {}), isSluiceError("invalid-payload"));
    for (const { end } of received) end();
  });

  test("shouldReportStatesAndGapsToEachTab", async () => {
    const { tab, session } = await first();
    const other = open();
    await isOpen(other);
    const [one, two] = [observe(tab, "stocks.7"), observe(other, "stocks.7")];
    const stale: Client[] = [];
    for (const each of [tab, other]) each.on("stale", () => stale.push(each));
    await session.subscribed();
    session.send({ type: "stale" });
    session.send({ type: "gap", topic: "stocks.7", reason: "overload", offset: 3, time: 1 });
    for (const { gaps } of [one, two]) await until("a gap", () => gaps.length === 1);
    assert.deepEqual([...stale], [tab, other]);
    assert.equal(other.state.status, "stale");
  });

  test("shouldEndTheSubscriptionsOfACrashedTab", async () => {
    const { tab, session } = await first();
    observe(tab, "stocks.7");
    const [ofFirst] = locks.held("tab");
    const other = open();
    await isOpen(other);
    observe(other, "stocks.8");
    await session.subscribed();
    await session.subscribed();
    locks.crash(ofFirst ?? "");
    assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
    assert.equal(session.count("unsubscribe"), 1);
    other.close();
    await until("the connection is closed", () => session.closeCode === 1000);
  });

  test("shouldRemoveATabWithTooLargeABacklog", async () => {
    const { session } = await first();
    const { port1, port2 } = new MessageChannel();
    hub.accept(port2);
    void locks.request("deaf", {}, () => new Promise(() => undefined));
    const open = { type: "open", lock: "deaf", urls: [node.url], options: {}, share: "" };
    port1.postMessage({ ...open, asksForToken: false, identity: "ann" });
    port1.postMessage({ type: "subscribe", id: 1, topic: "stocks.7", settings: {} });
    await session.subscribed();
    for (let offset = 1; offset <= 50_001; offset++) session.message("stocks.7", offset, "");
    assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
    port1.close();
  });

  test("shouldAcknowledgeReceivedMessages", async () => {
    const { tab, session } = await first();
    const { payloads } = observe(tab, "stocks.7");
    await session.subscribed();
    for (let part = 0; part < 6; part++) {
      const before = part * 10_000;
      for (let n = 1; n <= 10_000; n++) session.message("stocks.7", before + n, "");
      await until("all have come", () => payloads.length === before + 10_000);
    }
    assert.equal(tab.state.status, "open");
  });

  test("shouldContinueWithAnotherWorkerAfterACrash", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    const subscribe = await session.subscribed();
    session.message("stocks.7", 1, "one");
    await until("one came", () => received.payloads.length === 1);
    const position = received.position();
    const published = tab.publish("stocks.8", "lost");
    const states: string[] = [];
    tab.on("state", ({ status }) => states.push(status));

    startWorker();
    crashWorker();
    await assert.rejects(published, isSluiceError("connection-lost"));
    const next = await node.session();
    next.hello();
    const again = await next.subscribed(1, { recovered: true });
    next.message("stocks.7", 2, "two");
    await until("two came", () => received.payloads.length === 2);

    assert.equal(subscribe["from"], undefined);
    assert.deepEqual(again["from"], position);
    assert.deepEqual(received.payloads, ["one", "two"]);
    assert.deepEqual(received.gaps, []);
    assert.deepEqual(states, ["connecting", "connecting", "open"]);
    assert.deepEqual(errors, []);
  });

  test("shouldDeliverNoMessageTwiceAfterTheEndOfTheWorker", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    await session.subscribed();
    const numbers = Array.from({ length: 30 }, (_, at) => at + 1);
    const send = (to: ScriptedSession, from: number, until: number): void => {
      for (const n of numbers.slice(from - 1, until)) to.message("stocks.7", n, String(n));
    };
    send(session, 1, 20);
    await until("all have come", () => received.payloads.length === 20);

    crashWorker();
    startWorker();
    const next = await node.session();
    next.hello();
    await next.subscribed(20, { recovered: true, replay: 16 });
    send(next, 5, 30);
    await until("the last one came", () => received.payloads.includes("30"));

    assert.deepEqual(received.payloads, numbers.map(String));
    assert.deepEqual(received.gaps, []);
  });

  test("shouldDeliverTheSnapshotOfAFailedResumeAfterTheEndOfTheWorker", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    await session.subscribed();
    session.message("stocks.7", 1, "one");
    await until("one came", () => received.payloads.length === 1);

    crashWorker();
    startWorker();
    const next = await node.session();
    next.hello();
    await next.subscribed(1, { recovered: false, replay: 1 });
    next.message("stocks.7", 1, "one");
    await until("it came again", () => received.payloads.length === 2);

    assert.deepEqual(
      received.gaps.map(({ reason }) => reason),
      ["not-recovered"],
    );
  });

  test("shouldReportASnapshotCutByTheEndOfTheWorker", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.*", { from: "snapshot" });
    await session.subscribed(2, { replay: 2 });
    session.message("stocks.1", 1, "one", { pattern: "stocks.*" });
    await until("one came", () => received.payloads.length === 1);

    startWorker();
    crashWorker();
    const next = await node.session();
    next.hello();
    const again = await next.subscribed(2, { replay: 2 });

    assert.equal(again["from"], "snapshot");
    assert.deepEqual(received.gaps, [{ topic: "stocks.*", reason: "snapshot-cut" }]);
  });

  test("shouldRequestTheSnapshotOfAFailedResumeAfterTheEndOfTheWorker", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.*");
    await session.subscribed(1);
    session.message("stocks.1", 2, "one", { pattern: "stocks.*" });
    await until("one came", () => received.payloads.length === 1);
    session.cut();
    const second = await node.session();
    second.hello();
    await second.subscribed(9, { replay: 2, recovered: false });
    await until("it failed", () => received.gaps.length === 1);

    startWorker();
    crashWorker();
    const next = await node.session();
    next.hello();
    const again = await next.subscribed(9, { replay: 2 });

    assert.equal(again["from"], "snapshot");
    const reasons = received.gaps.map(({ reason }) => reason);
    assert.deepEqual(reasons, ["not-recovered", "snapshot-cut"]);
  });

  test("shouldFailIfItsWorkersEndRepeatedly", async () => {
    const { tab } = await first();
    let ends = 0;
    tab.on("state", ({ status }) => {
      if (status === "connecting") ends++;
    });
    for (let i = 1; i <= 3; i++) {
      startWorker();
      crashWorker();
      await until("it continues", () => ends >= 2 * i - 1 && locks.held("worker").length === 1);
      await node.session();
    }
    crashWorker();
    await until("it is closed", () => tab.state.status === "closed");
    assert.equal(errors.at(-1)?.code, "refused");
    await until("the tab holds nothing", () => locks.held("tab").length === 0);
  });

  test("shouldExposeThePositionOfTheProtocol", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    assert.equal(received.position(), null);
    await session.subscribed(41, { time: 7 });
    const { epoch } = { epoch: "1f0a6c2b9d3e4f58" };
    await until("a position", () => received.position() !== null);
    assert.deepEqual(received.position(), { epoch, offset: 41, since: 7 });
    const within: unknown[] = [];
    tab.subscribe("stocks.7", () => within.push(received.position()));
    session.message("stocks.7", 42, "one");
    session.message("stocks.7", 43, "two");
    await until("two came", () => within.length === 2);
    const id = (offset: number): string => offset.toString(16).padStart(16, "0");
    assert.deepEqual(within[0], { epoch, offset: 42, ids: [id(42)], since: 7 });
    assert.deepEqual(within[1], { epoch, offset: 43, ids: [id(42), id(43)], since: 7 });
    session.send({ type: "caught-up", time: 9 });
    const time = (): unknown => (received.position() as { time?: number }).time;
    await until("the time is reported", () => time() === 9);
  });

  test("shouldExposeThePositionOfASourceWithOffsets", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    const other = "000100000000000c";
    await session.subscribed(41, { time: 7, ids: ["0000000000000029", other] });
    const within: unknown[] = [];
    tab.subscribe("stocks.7", () => within.push(received.position()));
    session.message("stocks.7", 42, "one");
    session.message("stocks.7", 43, "two");
    await until("two came", () => within.length === 2);
    const stream = { epoch: "1f0a6c2b9d3e4f58", since: 7 };
    assert.deepEqual(within[0], { ...stream, offset: 42, ids: [other, "000000000000002a"] });
    assert.deepEqual(within[1], { ...stream, offset: 43, ids: [other, "000000000000002b"] });
  });

  test("shouldDeliverMessagesOfAnotherStreamWithTheSameIds", async () => {
    const { tab, session } = await first();
    const received = observe(tab, "stocks.7");
    await session.subscribed(41, { ids: [] });
    session.message("stocks.7", 42, "one");
    const same = "000000000000002a";
    const begun = { epoch: "aaaaaaaaaaaaaaaa", ids: [] };
    const gap = { topic: "stocks.7", reason: "broker-lost", offset: 43, time: 1 };
    session.send({ type: "gap", ...gap, ...begun });
    session.message("stocks.7", 44, "two", { id: same });
    await until("two came", () => received.payloads.length === 2);
    const position = { ...begun, offset: 44, ids: [same], since: 1 };
    assert.deepEqual(received.position(), position);
  });

  test("shouldDeliverASnapshotToALaterTabOnTheSameConnection", async () => {
    const { tab, session } = await first();
    const one = observe(tab, "stocks.7", { from: "snapshot" });
    await session.subscribed(5, { replay: 1 });
    session.message("stocks.7", 5, "five");
    await until("the snapshot", () => one.payloads.length === 1);
    const other = open();
    await isOpen(other);
    const two = observe(other, "stocks.7", { from: "snapshot" });
    const { from, ref } = await session.subscribed(5, { replay: 1 });
    assert.equal(from, "snapshot");
    session.message("stocks.7", 5, "five", { ref });
    session.message("stocks.7", 6, "six", { ref });
    session.message("stocks.7", 6, "six");
    for (const { payloads } of [one, two]) await until("six came", () => payloads.length === 2);
    assert.deepEqual(one.payloads, ["five", "six"]);
    assert.deepEqual(two.payloads, ["five", "six"]);
    assert.deepEqual(two.position(), one.position());
    assert.equal(node.sessions.length, 1);
  });

  test("shouldDeliverASnapshotToALaterHandlerOfTheSameTab", async () => {
    const { tab, session } = await first();
    const one = observe(tab, "stocks.7");
    await session.subscribed(5);
    const two = observe(tab, "stocks.7", { from: "snapshot" });
    const { ref } = await session.subscribed(5, { replay: 1 });
    session.message("stocks.7", 5, "five", { ref });
    session.message("stocks.7", 6, "six", { ref });
    session.message("stocks.7", 6, "six");
    await until("six came", () => two.payloads.length === 2 && one.payloads.length === 1);
    assert.deepEqual(one.payloads, ["six"]);
    assert.deepEqual(two.payloads, ["five", "six"]);
    two.end();
    assert.equal((await session.next("unsubscribe"))["subscription"], ref);
    session.message("stocks.7", 7, "seven", { ref });
    session.message("stocks.7", 7, "seven");
    await until("seven came", () => one.payloads.length === 2);
    assert.equal(two.payloads.length, 2);
  });

  test("shouldSubscribeSeparatelyWithDifferentOptions", async () => {
    const { tab, session } = await first();
    const slow = observe(tab, "stocks.7", { rate: 5 });
    await session.subscribed(0);
    const other = open();
    await isOpen(other);
    const fast = observe(other, "stocks.7");
    const { ref, rate } = await session.subscribed(0);
    assert.equal(rate, undefined);
    session.message("stocks.7", 1, "fast", { ref });
    session.message("stocks.7", 1, "slow");
    await until("both are received", () => slow.payloads.length + fast.payloads.length === 2);
    assert.deepEqual([slow.payloads, fast.payloads], [["slow"], ["fast"]]);
    assert.equal(node.sessions.length, 1);
  });

  test("shouldThrowWithinOneTabAsAnyClientDoes", async () => {
    const { tab } = await first();
    observe(tab, "stocks.7");
    assert.throws(() => observe(tab, "no topic"), isSluiceError("invalid-argument"));
    tab.close();
    assert.throws(() => observe(tab, "stocks.7"), isSluiceError("closed"));
  });

  test("shouldRequestTheTokenFromATab", async () => {
    let asked = 0;
    open({ token: () => Promise.resolve(`token ${String(++asked)}`) });
    const session = await node.session();
    assert.equal((await session.next("connect"))["token"], "token 1");
    session.hello();
    session.cut();
    const next = await node.session();
    assert.equal((await next.next("connect"))["token"], "token 2");
  });

  test("shouldRequestTheTokenFromAnotherTabWhenTheFirstCloses", async () => {
    let asked = 0;
    const silent = open({
      token: () => {
        asked++;
        return new Promise<string>(() => undefined);
      },
    });
    open({ token: () => "from the other tab" });
    const session = await node.session();
    await until("the first tab is asked", () => asked === 1);
    silent.close();
    assert.equal((await session.next("connect"))["token"], "from the other tab");
    assert.deepEqual(errors, []);
  });

  test("shouldRemoveATabThatClosesDuringATokenRequest", async () => {
    let asked = 0;
    const { tab, session } = await first({
      token: () => (++asked === 1 ? "the first" : new Promise<string>(() => undefined)),
    });
    const leaving = open({ token: () => assert.fail("it has left") });
    await isOpen(leaving);
    const last = open({ token: () => "from the last tab" });
    await isOpen(last);
    const [lockOfFirst = "", lockOfLeaving = ""] = locks.held("tab");
    session.cut();
    await until("the first tab is asked", () => asked === 2);
    locks.crash(lockOfLeaving);
    locks.crash(lockOfFirst);
    const next = await node.session();
    assert.equal((await next.next("connect"))["token"], "from the last tab");
    last.close();
    await until("the connection is closed", () => hub.size === 0);
    assert.equal(tab.state.status, "connecting");
  });

  test("shouldNotShareWithTabsOfOtherUsers", async () => {
    const { session } = await first({ token: () => "of ann" });
    open({ identity: "bob", token: () => "of bob" });
    const other = await node.session();
    assert.equal((await session.next("connect"))["token"], "of ann");
    assert.equal((await other.next("connect"))["token"], "of bob");
    assert.equal(hub.size, 2);
  });

  test("shouldStartAnewInAllTabsForAnotherSubject", async () => {
    let user = "opaque-1";
    const options = { encoding: "json", token: () => user } as const;
    const all = [open(options), open(options)];
    const changes: unknown[] = [];
    for (const tab of all) tab.on("identity-changed", (change) => changes.push(change));
    const session = await node.session();
    await session.next("connect");
    session.hello({ subject: "ann", features: ["publish-id"] });
    for (const tab of all) await isOpen(tab);
    const received = all.map((tab) => observe(tab, "stocks.7"));
    await session.subscribed(4);
    session.message("stocks.7", 5, "of ann");
    for (const { payloads } of received) await until("it came", () => payloads.length === 1);
    user = "opaque-2";
    const published = all.map((tab) => tab.publish("orders", "buy", { id: "1" }));
    await until("both are sent", () => session.count("publish") === 2);
    session.cut();
    const unused = await node.session();
    await unused.next("connect");
    unused.hello({ subject: "bob", features: ["publish-id"] });
    for (const each of published) await assert.rejects(each, isSluiceError("identity-changed"));
    await until("all know it", () => changes.length === 2);
    assert.deepEqual(changes, [
      { from: "ann", to: "bob" },
      { from: "ann", to: "bob" },
    ]);
    const next = await node.session();
    await next.next("connect");
    next.hello({ subject: "bob", features: ["publish-id"] });
    assert.equal((await next.subscribed())["from"], undefined);
    assert.equal(unused.count("publish") + next.count("publish"), 0);
    for (const { gaps, position } of received) {
      assert.deepEqual(
        gaps.map(({ reason }) => reason),
        ["identity-changed"],
      );
      assert.equal(position(), null);
    }
    assert.deepEqual(errors, []);
  });

  test("shouldNotUseThePositionsOfAnotherSubjectAfterTheEndOfTheWorker", async () => {
    const tab = open();
    const changes: unknown[] = [];
    tab.on("identity-changed", (change) => changes.push(change));
    const session = await node.session();
    session.hello({ subject: "ann" });
    await isOpen(tab);
    const { payloads, gaps } = observe(tab, "stocks.7");
    await session.subscribed(4);
    session.message("stocks.7", 5, "of ann");
    await until("it came", () => payloads.length === 1);
    crashWorker();
    startWorker();
    const next = await node.session();
    next.hello({ subject: "bob" });
    await until("it has changed", () => changes.length === 1);
    assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
    assert.equal(gaps.at(-1)?.reason, "identity-changed");
    await next.next("unsubscribe");
    assert.equal((await next.subscribed())["from"], undefined);
    next.message("stocks.7", 1, "of bob");
    await until("it came", () => payloads.length === 2);
  });

  test("shouldSendNoPublishAsAnotherSubjectAfterTheEndOfTheWorker", async () => {
    const tab = open({ encoding: "json" });
    const session = await node.session();
    session.hello({ subject: "ann" });
    await isOpen(tab);
    crashWorker();
    startWorker();
    const next = await node.session();
    await next.next("connect");
    const ofAnn = [tab.publish("orders", "of ann"), tab.queue("orders").publish("of ann")];
    next.hello({ subject: "bob" });
    for (const each of ofAnn) await assert.rejects(each, isSluiceError("identity-changed"));
    await isOpen(tab);
    const ofBob = tab.publish("orders", "of bob");
    const { ref, payload } = await next.next("publish");
    assert.equal(payload, "of bob");
    next.send({ type: "published", ref });
    await ofBob;
  });

  test("shouldCloseAllTabsAtLogout", async () => {
    const all = [1, 2].map(() =>
      open({
        token: () => {
          throw new LoggedOut();
        },
      }),
    );
    await until("all are closed", () => all.every(({ state }) => state.status === "closed"));
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["logged-out", "logged-out"],
    );
  });

  test("shouldRequestATokenFromATabBeforeExpiry", async () => {
    let asked = 0;
    open({ token: () => Promise.resolve(`token ${String(++asked)}`) });
    const session = await node.session();
    await session.next("connect");
    const time = Date.now();
    session.hello({ time, expires: time + 100 });
    assert.equal((await session.next("refresh"))["token"], "token 2");
  });

  test("shouldReportARejectedTokenToEveryTab", async () => {
    const all = [open({ token: () => "s3cret" }), open({ token: () => "s3cret" })];
    for (let i = 0; i < 2; i++) {
      const session = await node.session();
      await session.next("connect");
      session.send({ type: "error", code: "unauthorized", message: "no such key" });
      session.close(4200);
    }
    await until("all are closed", () => all.every(({ state }) => state.status === "closed"));
    assert.deepEqual(
      errors.map(({ code, message }) => [code, message]),
      [
        ["unauthorized", "no such key"],
        ["unauthorized", "no such key"],
      ],
    );
  });

  test("shouldPublishAndReportTheOutcome", async () => {
    const { tab, session } = await first();
    const published = tab.publish("chat", "hello", { properties: { priority: 1 } });
    session.send({ type: "published", ref: (await session.next("publish")).ref });
    await published;
    const refused = tab.publish("chat", "hello again", { properties: { priority: 1 } });
    const { ref } = await session.next("publish");
    session.send({ type: "error", ref, code: "rate-limited", message: "slower" });
    await assert.rejects(refused, isSluiceError("rate-limited"));
  });

  test("shouldSelectMessagesForEachHandlerOverOneConnection", async () => {
    const tab = open();
    const session = await node.session();
    session.hello({ features: ["selectors"] });
    const eu = observe(tab, "a", { where: "region = 'EU'" });
    const us = observe(tab, "a", { where: "region = 'US'", delivery: "latest" });
    const subscribes = [await session.subscribed(), await session.subscribed()];
    assert.deepEqual(
      subscribes.map(({ where, tagged }) => [where, tagged]),
      [
        ["region = 'EU'", true],
        ["region = 'US'", true],
      ],
    );
    session.message("a", 1, "eu", { ref: subscribes[0]?.["ref"] });
    session.message("a", 1, "us", { ref: subscribes[1]?.["ref"] });
    await until("both are received", () => eu.payloads.length + us.payloads.length === 2);
    assert.deepEqual([eu.payloads, us.payloads], [["eu"], ["us"]]);
    await until(
      "the position names the selector",
      () => (eu.position() as { where?: string } | null)?.where === "region = 'EU'",
    );
    assert.equal(node.sessions.length, 1);
  });

  test("shouldResumeAtAStoredPositionOfASelector", async () => {
    const where = "region = 'EU'";
    const position = { epoch: "1f0a6c2b9d3e4f58", offset: 7 };
    const tab = open();
    const session = await node.session();
    session.hello({ features: ["selectors"] });
    observe(tab, "a", { where, from: { ...position, where } });
    const { from, where: sent } = await session.subscribed();
    assert.deepEqual([from, sent], [position, where]);
  });

  test("shouldRefuseWhatNeedsItsOwnConnection", async () => {
    const { tab } = await first();
    const durable = tab.durable("a", "b");
    for (const refused of [
      tab.request("a", "x"),
      tab.serve("a", () => "x"),
      tab.queue("a").request("x"),
      tab.queue("a").consume(() => undefined),
      durable.consume(() => undefined),
      durable.delete(),
      tab.shared("a", "b").serve(() => "x"),
      tab.durables(),
      tab.transaction(() => undefined),
    ]) {
      await assert.rejects(refused, isSluiceError("unsupported"));
    }
  });

  test("shouldReportARefusedTopicAndResubscribeForTheNextHandler", async () => {
    const { tab, session } = await first();
    observe(tab, "secret");
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
    await until("an error", () => errors.length === 1);
    assert.equal(errors[0]?.code, "forbidden");
    const again = observe(tab, "secret");
    await session.subscribed();
    session.message("secret", 1, "open now");
    await until("a message", () => again.payloads.length === 1);
  });

  test("shouldClosePermanentlyIfTheNodeForbidsReconnecting", async () => {
    const { tab, session } = await first();
    session.close(4200, "unauthorized");
    await until("it is closed", () => tab.state.status === "closed");
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["refused"],
    );
    const next = open();
    (await node.session()).hello();
    await isOpen(next);
  });

  test("shouldShareNothingBetweenUsers", async () => {
    await first({ share: "alice" });
    await first({ share: "bob" });
    assert.equal(node.sessions.length, 2);
  });

  test("shouldComputeTheAgeOfAMessageInItsTab", async () => {
    const { tab, session } = await first();
    const messages: Message[] = [];
    tab.subscribe("stocks.7", (message) => messages.push(message));
    await session.subscribed();
    const time = Date.now() - 5_000;
    session.message("stocks.7", 1, "one", { time });
    await until("it came", () => messages.length === 1);
    const [message] = messages;
    const offset = tab.clockOffset?.offset ?? NaN;
    const least = Date.now() + offset - time;
    const age = message?.age ?? NaN;
    assert.ok(age >= least && age <= Date.now() + offset - time, String(age));
    assert.equal(message?.ageUncertainty, tab.clockOffset?.uncertainty);
    assert.deepEqual([message?.replayed, message?.gapBefore], [false, undefined]);
  });

  test("shouldReportTheStateOfASubscriptionAndTheGapBeforeAMessage", async () => {
    const { tab, session } = await first();
    const received: unknown[] = [];
    const subscription = tab.subscribe("stocks.7", {
      onMessage: ({ gapBefore }) => received.push(gapBefore, subscription.state.status),
      onState: ({ status }) => received.push(status),
    });
    assert.equal(subscription.state.status, "pending");
    await session.subscribed();
    session.message("stocks.7", 1, "one");
    session.send({ type: "gap", topic: "stocks.7", reason: "overload", offset: 3, time: 1 });
    session.message("stocks.7", 4, "four");
    await until("four came", () => received.length === 7);
    assert.deepEqual(received, ["live", undefined, "live", "gap", "live", "overload", "live"]);
  });

  test("shouldConvertPayloadsForEachHandler", async () => {
    const { tab, session } = await first();
    const received: unknown[] = [];
    tab.subscribe("stocks.7", ({ payload }) => received.push(payload), { payload: "json" });
    tab.subscribe("stocks.7", ({ payload, age }) => received.push(payload, typeof age), {
      payload: "text",
    });
    await session.subscribed();
    session.message("stocks.7", 1, '{"bid":1}');
    session.message("stocks.7", 2, "no JSON");
    await until("both came", () => received.length === 5);
    assert.deepEqual(received, [{ bid: 1 }, '{"bid":1}', "number", "no JSON", "number"]);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["bad-payload"],
    );
    assert.throws(
      () => tab.subscribe("stocks.7", () => undefined, { payload: "xml" as "text" }),
      isSluiceError("invalid-argument"),
    );
  });

  test("shouldEndASubscriptionBySignal", async () => {
    const { tab, session } = await first();
    const controller = new AbortController();
    observe(tab, "stocks.7", { signal: controller.signal });
    await session.subscribed();
    controller.abort();
    assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
  });

  test("shouldRemoveTheSignalListenerWhenTheSubscriptionEnds", async () => {
    const { tab } = await first();
    const { signal } = new AbortController();
    const received = observe(tab, "stocks.7", { signal });
    assert.equal(getEventListeners(signal, "abort").length, 1);
    received.end();
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  test("shouldDeliverMessagesToALoop", async () => {
    const { tab, session } = await first();
    const loop = (async () => {
      for await (const { payload } of tab.messages("stocks.7", { payload: "json" })) return payload;
      return undefined;
    })();
    await session.subscribed();
    session.message("stocks.7", 1, "[1]");
    assert.deepEqual(await loop, [1]);
    assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
  });

  test("shouldReportTheTransport", async () => {
    const tab = open();
    const session = await node.session();
    assert.equal(tab.transport, undefined);
    session.hello();
    await isOpen(tab);
    assert.equal(tab.transport, "websocket");
    tab.close();
    assert.equal(tab.transport, undefined);
  });

  test("shouldThrowForAnUnknownEvent", () => {
    const listen = (): unknown => open().on("message" as "state", () => undefined);
    assert.throws(listen, isSluiceError("invalid-argument"));
  });

  describe("with shared workers", () => {
    const globals = globalThis as { SharedWorker?: unknown };
    const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator");

    beforeEach(() => {
      globals.SharedWorker = () => undefined;
      Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
    });

    afterEach(() => {
      delete globals.SharedWorker;
      if (navigator) Object.defineProperty(globalThis, "navigator", navigator);
      else delete (globalThis as { navigator?: unknown }).navigator;
    });

    function worker(): SharedWorker {
      const { port1, port2 } = new MessageChannel();
      hub.accept(port2);
      return { port: port1, addEventListener: () => undefined } as unknown as SharedWorker;
    }

    test("shouldPassPlainOptions", async () => {
      const options = { transports: ["websocket"], encoding: "json" } as const;
      tabs.push(connectShared(worker, node.url, options));
      assert.equal((await node.session()).subprotocol, "sluice.v1.json");
      assert.equal(hub.size, 1);
    });

    test("shouldNotShareWithAFunctionAmongTheOptions", async () => {
      let asked = 0;
      const fetch = (): Promise<Response> => {
        asked++;
        return Promise.reject(new Error("no network"));
      };
      tabs.push(connectShared(worker, node.url, { transports: ["http"], fetch }));
      await until("it was called", () => asked > 0);
      assert.equal(hub.size, 0);
    });
  });

  test("shouldNotShareWithoutSharedWorkers", async () => {
    const tab = connectShared("/worker.js", node.url, { WebSocket });
    tabs.push(tab);
    (await node.session()).hello();
    await isOpen(tab);
    assert.equal(hub.size, 0);
  });
});
