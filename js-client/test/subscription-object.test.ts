import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { build } from "esbuild";
import { ClientEmitter } from "../src/engine/client-events.js";
import type { Message, Client } from "../src/index.js";
import { openClient } from "./open-client.js";
import type { ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("subscription object", { timeout: 300_000 }, () => {
  let client: Client;
  let session: ScriptedSession;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ client, session, stop } = await openClient());
  });

  afterEach(() => stop());

  async function drain(messages: AsyncIterable<Message>): Promise<unknown[]> {
    const payloads: unknown[] = [];
    for await (const { payload } of messages) payloads.push(payload);
    return payloads;
  }

  test("shouldEndOnceByAnyOfItsFunctions", async () => {
    const all = ["a", "b", "c"].map((topic) => client.subscribe(topic, () => undefined));
    const [first, second, third] = all;
    first?.unsubscribe();
    first?.unsubscribe();
    {
      using disposed = second;
      assert.equal(disposed?.topic, "b");
    }
    third?.unsubscribe();
    for (const topic of ["a", "b", "c"]) {
      assert.equal((await session.next("unsubscribe"))["topic"], topic);
    }
    assert.equal(session.count("unsubscribe"), 3);
  });

  test("shouldReturnOneMessageAndEnd", async () => {
    const once = client.subscribe("stocks.7", { from: "snapshot" }).once();
    await session.subscribed(1, { replay: 1 });
    session.message("stocks.7", 1, "first");
    assert.equal((await once).payload, "first");
    assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
  });

  test("shouldReturnTheNextMessageOfAHandlerThatContinues", async () => {
    const received: unknown[] = [];
    const subscription = client.subscribe("a", ({ payload }) => received.push(payload));
    await session.subscribed();
    const once = subscription.once();
    // The code for loops is being loaded.
    let count = 0;
    const timer = setInterval(() => {
      count++;
      session.message("a", count, String(count));
    }, 5);
    const { payload } = await once;
    clearInterval(timer);
    assert.ok(received.includes(payload));
    await until("all", () => received.length === count);
    assert.equal(session.count("unsubscribe"), 0);
  });

  test("shouldRejectOnceWithoutMessage", async () => {
    const ended = client.subscribe("a");
    const once = ended.once();
    await session.subscribed();
    ended.unsubscribe();
    await assert.rejects(once, isSluiceError("closed"));
    const refused = client.subscribe("b").once();
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "no" });
    await assert.rejects(refused, isSluiceError("forbidden"));
  });

  test("shouldWaitUntilReadyOrClosed", async () => {
    await client.ready();
    const { client: other, node, session: opened } = await openClient();
    opened.cut();
    await until("connecting", () => other.state.status === "connecting");
    const ready = other.ready();
    (await node.session()).hello();
    await ready;
    other.close();
    await assert.rejects(other.ready(), isSluiceError("closed"));
    await node.stop();
  });

  test("shouldHaveNoConnectionWhilePausedAndContinueAtThePosition", async () => {
    const { client: paused, node, session: first, stop: stopPaused } = await openClient();
    const received: unknown[] = [];
    const onGap = (): never => assert.fail("a gap");
    paused.subscribe("a", { onMessage: ({ payload }) => received.push(payload), onGap });
    await first.subscribed();
    first.message("a", 1, "1");
    await until("received", () => received.length === 1);
    paused.pause();
    paused.pause();
    assert.equal(paused.state.status, "paused");
    await until("closed", () => first.closeCode !== undefined);
    paused.retryNow();
    const published = paused.publish("b", "waits");
    let isReady = false;
    const ready = paused.ready().then(() => (isReady = true));
    assert.equal(node.sessions.length, 1);
    paused.resume();
    const second = await node.session();
    assert.ok(!isReady);
    second.hello();
    const { from } = await second.subscribed(2, { replay: 1, recovered: true });
    assert.equal((from as { offset: number }).offset, 1);
    second.message("a", 2, "2");
    second.send({ type: "published", ref: (await second.next("publish")).ref });
    await Promise.all([ready, published]);
    await until("all", () => received.length === 2);
    assert.deepEqual(received, ["1", "2"]);
    await stopPaused();
  });

  test("shouldStayPausedByAHandlerOfTheLostConnection", async () => {
    const { client: paused, node, session: first, stop: stopPaused } = await openClient();
    paused.on("state", ({ status }) => {
      if (status === "connecting") paused.pause();
    });
    first.cut();
    await until("paused", () => paused.state.status === "paused");
    paused.close();
    paused.resume();
    assert.equal(paused.state.status, "closed");
    assert.equal(node.sessions.length, 1);
    await stopPaused();
  });

  test("shouldWorkOnPlatformsWithoutSymbolDispose", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "./engine/subscription.ts"', resolveDir: "src" },
      bundle: true,
      format: "iife",
      globalName: "module",
      write: false,
    });
    const { iterator, asyncIterator } = Symbol;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- with another Symbol
    const load = new Function("Symbol", `${outputFiles[0]?.text ?? ""}; return module;`) as (
      symbol: object,
    ) => Pick<typeof import("../src/engine/subscription.js"), "openSubscription">;
    let ends = 0;
    const source = { position: undefined, state: { status: "pending" } } as const;
    const add = () => ({ source, end: () => ends++ });
    const host = { add, events: new ClientEmitter(), schemas: undefined };
    const { openSubscription } = load({ iterator, asyncIterator });
    const subscription = openSubscription(host, "a", () => undefined);
    assert.equal(Symbol.dispose in subscription, false);
    subscription.unsubscribe();
    assert.equal(ends, 1);
  });

  test("shouldIterateWithoutAHandler", async () => {
    const subscription = client.subscribe("a", { from: { last: 2 } });
    assert.equal(subscription.state.status, "pending");
    const received = (async () => {
      for await (const { payload } of subscription) {
        if (payload === "2") return subscription.position?.offset;
      }
      return undefined;
    })();
    assert.deepEqual((await session.subscribed(1, { replay: 1 }))["from"], { last: 2 });
    session.message("a", 1, "1");
    session.message("a", 2, "2");
    assert.equal(await received, 2);
    await session.next("unsubscribe");
    assert.equal(subscription.state.status, "closed");
  });

  test("shouldBeClosedAfterUnsubscribe", () => {
    const subscription = client.subscribe("a", () => undefined);
    subscription.unsubscribe();
    assert.equal(subscription.state.status, "closed");
  });

  test("shouldEndItsLoop", async () => {
    const { signal } = new AbortController();
    const subscription = client.subscribe("a", { signal });
    const loop = drain(subscription);
    await session.subscribed();
    assert.equal(getEventListeners(signal, "abort").length, 1);
    subscription.unsubscribe();
    assert.deepEqual(await loop, []);
    assert.equal(getEventListeners(signal, "abort").length, 0);
    await session.next("unsubscribe");
  });

  test("shouldIterateOverTheMessagesOfAHandler", async () => {
    const handled: unknown[] = [];
    const onMessage = ({ payload }: Message): number => handled.push(payload);
    const subscription = client.subscribe("a", onMessage, { from: { last: 1 } });
    await session.subscribed(1, { replay: 1 });
    session.message("a", 1, "1");
    await until("the start is received", () => handled.length === 1);
    const messages = subscription[Symbol.asyncIterator]();
    const next = messages.next();
    await until("the loop has begun", () => {
      session.message("a", 2, "2");
      return handled.length === 2;
    });
    session.message("a", 3, "3");
    const { value } = await next;
    assert.ok(["2", "3"].includes((value as { payload: string }).payload));
    await messages.return(undefined);
    session.message("a", 4, "4");
    await until("the handler continues", () => handled.at(-1) === "4");
    assert.equal(session.count("subscribe"), 1);
    assert.equal(session.count("unsubscribe"), 0);
  });

  test("shouldBoundTheBufferOfALoop", async () => {
    const messages = client.subscribe("a", { buffer: 1 })[Symbol.asyncIterator]();
    const first = messages.next();
    await session.subscribed();
    for (const offset of [1, 2, 3]) session.message("a", offset, String(offset));
    await session.next("unsubscribe");
    await first;
    const rest = async (): Promise<unknown> => drain({ [Symbol.asyncIterator]: () => messages });
    await assert.rejects(rest, isSluiceError("buffer-full"));
  });

  test("shouldRejectInvalidOptionsOfALoopAtOnce", () => {
    for (const options of [{ buffer: 0 }, { overflow: "drop" as "fail" }, { rate: -1 }]) {
      assert.throws(() => client.subscribe("a", options), isSluiceError("invalid-argument"));
    }
    assert.throws(() => client.subscribe("a", null as never), isSluiceError("invalid-argument"));
  });
});
