import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Message, Client, SluiceError } from "../src/index.js";
import { openClient } from "./open-client.js";
import type { ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("loops over messages", { timeout: 300_000 }, () => {
  let client: Client;
  let session: ScriptedSession;
  let errors: SluiceError[];
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ client, session, errors, stop } = await openClient());
  });

  afterEach(() => stop());

  async function drain(messages: AsyncIterable<Message>): Promise<unknown[]> {
    const payloads: unknown[] = [];
    for await (const { payload } of messages) payloads.push(payload);
    return payloads;
  }

  /** Waits until the client has read everything that was sent before. */
  async function allRead(): Promise<void> {
    let count = 0;
    const undo = client.on("live", () => count++);
    session.send({ type: "live" });
    await until("everything was read", () => count > 0);
    undo();
  }

  test("shouldIterateInOrderAndUnsubscribeOnBreak", async () => {
    const payloads: unknown[] = [];
    const loop = (async () => {
      for await (const message of client.messages("a")) {
        payloads.push(message.payload);
        if (payloads.length === 2) break;
      }
    })();
    await session.subscribed();
    session.message("a", 1, "one");
    session.message("a", 2, "two");
    session.message("a", 3, "three");
    await loop;
    await session.next("unsubscribe");
    assert.deepEqual(payloads, ["one", "two"]);
  });

  test("shouldUnsubscribeWhenTheLoopThrows", async () => {
    const loop = (async () => {
      for await (const message of client.messages("a")) throw new Error(String(message.payload));
    })();
    await session.subscribed();
    session.message("a", 1, "mine");
    await assert.rejects(loop, { message: "mine" });
    await session.next("unsubscribe");
  });

  test("shouldSubscribeOnlyWhenTheLoopStarts", async () => {
    const messages = client.messages("a");
    await messages.return(undefined);
    await allRead();
    assert.equal(session.count("subscribe"), 0);
    assert.deepEqual(await messages.next(), { done: true, value: undefined });
  });

  test("shouldRejectInvalidArgumentsAtOnce", () => {
    const wrong = [
      () => client.messages("a..b"),
      () => client.messages("a", { buffer: 0 }),
      () => client.messages("a", { overflow: "drop" as "fail" }),
      () => client.messages("a", { payload: "xml" as "text" }),
      () => client.messages("a", { signal: {} as AbortSignal }),
    ];
    for (const call of wrong) assert.throws(call, isSluiceError("invalid-argument"), String(call));
  });

  test("shouldEndWithTheClient", async () => {
    const loop = drain(client.messages("a"));
    await session.subscribed();
    session.message("a", 1, "one");
    await until("live", () => session.count("subscribe") === 1);
    await allRead();
    client.close();
    assert.deepEqual(await loop, ["one"]);
  });

  test("shouldThrowTheErrorThatClosedTheClient", async () => {
    const loop = drain(client.messages("a"));
    await session.subscribed();
    session.close(4200, "expired");
    await assert.rejects(loop, isSluiceError("refused"));
  });

  test("shouldThrowTheRefusalOfTheNode", async () => {
    const loop = drain(client.messages("secret"));
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
    await assert.rejects(loop, isSluiceError("forbidden"));
    assert.deepEqual(errors, []);
  });

  test("shouldEndWhenTheSignalIsAborted", async () => {
    const controller = new AbortController();
    const loop = drain(client.messages("a", { signal: controller.signal }));
    await session.subscribed();
    controller.abort();
    assert.deepEqual(await loop, []);
    await session.next("unsubscribe");
  });

  test("shouldEndAtOnceIfTheSignalWasAbortedBefore", async () => {
    assert.deepEqual(await drain(client.messages("a", { signal: AbortSignal.abort() })), []);
  });

  test("shouldThrowAfterTheBufferedMessagesIfTheBufferIsFull", async () => {
    const messages = client.messages("a", { buffer: 2 });
    const first = messages.next();
    await session.subscribed();
    for (const offset of [1, 2, 3, 4]) session.message("a", offset, String(offset));
    await session.next("unsubscribe");
    assert.equal(((await first).value as Message).payload, "1");
    const rest: unknown[] = [];
    await assert.rejects(async () => {
      for await (const { payload } of messages) rest.push(payload);
    }, isSluiceError("buffer-full"));
    assert.ok(rest.length === 1 || rest.length === 2, String(rest));
  });

  test("shouldDropTheOldestAndReportIt", async () => {
    const messages = client.messages("a", { buffer: 2, overflow: "drop-oldest" });
    const first = messages.next();
    await session.subscribed();
    session.message("a", 1, "1");
    await first;
    for (const offset of [2, 3, 4, 5]) session.message("a", offset, String(offset));
    await allRead();
    const received: unknown[] = [];
    for await (const { payload, gapBefore } of messages) {
      received.push([payload, gapBefore]);
      if (received.length === 2) break;
    }
    assert.deepEqual(received, [
      ["4", "buffer-full"],
      ["5", undefined],
    ]);
  });

  test("shouldMarkTheMessageAfterAGap", async () => {
    const messages = client.messages("a");
    const first = messages.next();
    await session.subscribed();
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 7, time: 1 });
    session.message("a", 8, "eight");
    session.message("a", 9, "nine");
    const marks = [await first, await messages.next()].map(({ value }) => value?.gapBefore);
    assert.deepEqual(marks, ["overload", undefined]);
  });

  test("shouldContinueAfterAPayloadThatCannotBeConverted", async () => {
    const messages = client.messages("a", { payload: "json" });
    const first = messages.next();
    await session.subscribed();
    session.message("a", 1, "{");
    session.message("a", 2, '{"price":7}');
    assert.deepEqual((await first).value?.payload, { price: 7 });
    assert.deepEqual(
      errors.map(({ code, topic }) => [code, topic]),
      [["bad-payload", "a"]],
    );
  });
});
