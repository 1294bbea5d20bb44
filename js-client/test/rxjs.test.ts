import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import "./dom.js";
import { BehaviorSubject, combineLatest, map, scan, switchMap, take } from "rxjs";
import type { Client, Message } from "../src/index.js";
import {
  connection$,
  createObservables,
  gap$,
  gaps$,
  messages$,
  presence$,
  views$,
} from "../src/rxjs.js";
import { connect } from "../src/index.js";
import { describeBinding, type Mount, type Provided } from "./binding-contract.js";
import { openClient, type OpenClient } from "./open-client.js";
import { isSluiceError, until } from "./support.js";

/** Returns the client, and whether it has to be closed here. */
function clientOf(provided: Provided): { client: Client; isOwned: boolean } {
  if (!("url" in provided)) return { client: provided, isOwned: false };
  return { client: connect(provided.url, provided.options), isOwned: true };
}

const mount: Mount = (provided, initial, onRender) => {
  const { client, isOwned } = clientOf(provided);
  const args = new BehaviorSubject(initial);
  const latestGap = gap$(client);
  const subscription = combineLatest({
    view: args.pipe(switchMap(({ topic, options }) => views$(client, topic, options))),
    connection: connection$(client),
    latestGap,
    presence: args.pipe(
      map(({ room, presenceOptions }) => ({ room, presenceOptions })),
      switchMap(({ room, presenceOptions }) => presence$(client, room, presenceOptions)),
    ),
  }).subscribe((rendered) => {
    onRender({ ...rendered, dismiss: latestGap.dismiss });
  });
  return {
    update: (next) => {
      args.next(next);
    },
    unmount: () => {
      subscription.unsubscribe();
      if (isOwned) client.close();
    },
  };
};

describeBinding("rxjs", mount, true);

async function openForTest(context: TestContext): Promise<OpenClient> {
  const opened = await openClient();
  context.after(opened.stop);
  return opened;
}

describe("observables", { timeout: 60_000 }, () => {
  test("shouldSubscribeAndUnsubscribeWithEachSubscriber", async (context) => {
    const { client, session } = await openForTest(context);
    const observable = messages$(client, "chat", { payload: "text" });
    assert.equal(session.count("subscribe"), 0);
    const texts: string[] = [];
    observable
      .pipe(
        take(2),
        scan((all, { payload }) => all + payload, ""),
      )
      .subscribe((text) => texts.push(text));
    await session.subscribed();
    session.message("chat", 1, "a");
    session.message("chat", 2, "b");
    session.message("chat", 3, "c");
    assert.equal((await session.next("unsubscribe"))["topic"], "chat");
    assert.deepEqual(texts, ["a", "ab"]);
  });

  test("shouldFailWithTheErrorOfARefusedSubscription", async (context) => {
    const { client, session } = await openForTest(context);
    const thrown: unknown[] = [];
    messages$(client, "secret").subscribe({ error: (error) => thrown.push(error) });
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
    await until("it fails", () => thrown.length === 1);
    assert.ok(isSluiceError("forbidden")(thrown[0]));
    messages$(client, "not a topic").subscribe({ error: (error) => thrown.push(error) });
    assert.ok(isSluiceError("invalid-argument")(thrown[1]));
  });

  test("shouldEndWithTheClient", async (context) => {
    const { client, session } = await openForTest(context);
    const ended: string[] = [];
    const observer = (name: string) => ({ complete: () => ended.push(name) });
    messages$(client, "chat").subscribe(observer("messages"));
    views$(client, "chat").subscribe(observer("views"));
    gaps$(client, "chat").subscribe(observer("gaps"));
    connection$(client).subscribe(observer("connection"));
    await session.next("subscribe");
    client.close();
    assert.deepEqual(ended, ["messages", "views", "gaps", "connection"]);
  });

  test("shouldEndAtOnceIfTheClientIsClosed", async (context) => {
    const { client } = await openForTest(context);
    client.close();
    const ended: string[] = [];
    const observer = (name: string) => ({ complete: () => ended.push(name) });
    gaps$(client).subscribe(observer("gaps"));
    gap$(client).subscribe(observer("gap"));
    presence$(client, "chat").subscribe(observer("presence"));
    views$(client, "chat").subscribe(observer("views"));
    messages$(client, "chat").subscribe(observer("messages"));
    assert.deepEqual(ended, ["gaps", "gap", "presence", "views", "messages"]);
  });

  test("shouldFailWithTheErrorOfTheClient", async (context) => {
    const { client, session } = await openForTest(context);
    const thrown: unknown[] = [];
    messages$(client, "chat").subscribe({ error: (error) => thrown.push(error) });
    session.close(4203, "not permitted");
    await until("it fails", () => thrown.length === 1);
    assert.equal(client.state.status, "closed");
    assert.equal(thrown[0], client.state.error);
  });

  test("shouldFilterGapsByTopic", async (context) => {
    const { client, session } = await openForTest(context);
    const reasons: string[] = [];
    gaps$(client, "chat").subscribe(({ reason }) => reasons.push(reason));
    client.subscribe("chat", () => undefined);
    client.subscribe("news", () => undefined);
    await session.subscribed();
    await session.subscribed();
    session.send({ type: "gap", topic: "news", reason: "overload", offset: 1, time: 1 });
    session.send({ type: "gap", topic: "chat", reason: "too-large", offset: 1, time: 1 });
    await until("a gap", () => reasons.length > 0);
    assert.deepEqual(reasons, ["too-large"]);
  });

  test("shouldBeConsumedThroughSymbolObservable", async (context) => {
    const { client, session } = await openForTest(context);
    interface Interop {
      subscribe(observer: { next: (message: Message) => void }): { unsubscribe(): void };
    }
    const key = (Symbol as { observable?: symbol }).observable ?? "@@observable";
    const observable = messages$(client, "chat") as unknown as Record<symbol, () => Interop>;
    const received: unknown[] = [];
    const subscription = observable[key as symbol]?.().subscribe({
      next: ({ payload }) => received.push(payload),
    });
    await session.subscribed();
    session.message("chat", 1, "one");
    await until("it is received", () => received.length === 1);
    subscription?.unsubscribe();
    await session.next("unsubscribe");
  });

  test("shouldReturnTheFunctionsOfAClient", async (context) => {
    const { client, session } = await openForTest(context);
    const observables = createObservables(client);
    const received: unknown[] = [];
    observables
      .messages$("chat", { payload: "text" })
      .subscribe(({ payload }) => received.push(payload));
    observables.messages$(undefined).subscribe((message) => received.push(message));
    observables.gaps$("chat").subscribe(({ reason }) => received.push(reason));
    await session.subscribed();
    session.send({ type: "gap", topic: "chat", reason: "overload", offset: 1, time: 1 });
    session.message("chat", 2, "two");
    await until("both", () => received.length === 2);
    assert.deepEqual(received, ["overload", "two"]);
  });
});
