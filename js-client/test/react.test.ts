import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ManualFrames } from "./dom.js";
import { createElement as h, StrictMode, useEffect, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { WebSocket } from "ws";
import { connect, SluiceError, type ConnectOptions, type Message } from "../src/index.js";
import {
  SluiceProvider,
  useClient,
  useConsumer,
  useMessages,
  usePresence,
  useConnection,
  usePublish,
  useTopic,
  type Client,
  type ViewOptions,
  type MessageView,
  type PresenceView,
  type Publish,
  type SubscriptionSource,
  type TopicView,
} from "../src/react.js";
import type { SubscribeOptions } from "../src/index.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("react", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let frames: ManualFrames;
  let root: Root;
  let clients: Client[];

  beforeEach(async () => {
    node = await ScriptedNode.start();
    frames = new ManualFrames();
    root = createRoot(document.body.appendChild(document.createElement("div")));
    clients = [];
  });

  afterEach(async () => {
    root.unmount();
    for (const client of clients) client.close();
    await node.stop();
  });

  async function open(): Promise<{ client: Client; session: ScriptedSession }> {
    const client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
    client.on("error", () => undefined);
    clients.push(client);
    const session = await node.session();
    session.hello();
    await until("the client has its hello", () => client.state.status === "open");
    return { client, session };
  }

  async function openWith(features: readonly string[]) {
    const client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
    clients.push(client);
    const session = await node.session();
    session.hello({ features });
    await until("the client has its hello", () => client.state.status === "open");
    return { client, session };
  }

  /** Counts the client's messages independently of the hooks. */
  function received(client: Client, topic: string): () => number {
    let count = 0;
    client.subscribe(topic, () => count++);
    return () => count;
  }

  /** Triggers frames until a condition holds. */
  async function shown(what: string, holds: () => boolean): Promise<void> {
    await until(what, () => {
      if (!holds()) frames.show();
      return holds();
    });
  }

  /** Renders with the client; resolves after the effects have run. */
  async function render(client: Client, ...children: ReactNode[]): Promise<void> {
    let isDone = false;
    const Done = (): null => {
      useEffect(() => {
        isDone = true;
      });
      return null;
    };
    root.render(h(SluiceProvider, { client }, ...children, h(Done, { key: "done" })));
    await until("React has rendered", () => isDone);
  }

  interface TopicProps {
    readonly topic: string | undefined;
    readonly options?: SubscribeOptions;
    readonly views: TopicView[];
  }

  function Topic({ topic, options, views }: TopicProps): ReactNode {
    const view = useTopic(topic, options && { ...options });
    views.push(view);
    return typeof view.payload === "string" ? view.payload : null;
  }

  interface MessagesProps {
    readonly topic: string;
    readonly options: ViewOptions;
    readonly views: MessageView[];
  }

  function Messages({ topic, options, views }: MessagesProps): ReactNode {
    views.push(useMessages(topic, { ...options }));
    return null;
  }

  function payloads(view: MessageView | undefined): unknown[] {
    return (view?.messages ?? []).map(({ payload }) => payload);
  }

  describe("usePresence", () => {
    function Room({ name, views }: { name: string; views: PresenceView[] }): ReactNode {
      views.push(usePresence("room.1", { info: { name } }));
      return null;
    }

    test("shouldEnterWhileTheComponentIsMounted", async () => {
      const { client, session } = await openWith(["presence"]);
      const views: PresenceView[] = [];
      await render(client, h(Room, { key: "room", name: "Ann", views }));
      const { ref, info } = await session.next("presence");
      assert.deepEqual(info, { name: "Ann" });
      const ann = { id: "a", subject: undefined, info };
      session.send({ type: "present", ref, topic: "room.1", self: "a", count: 1, members: [ann] });
      await until("entered", () => views.at(-1)?.live === true);
      assert.deepEqual(views.at(-1), {
        count: 1,
        members: [ann],
        partial: false,
        live: true,
        self: "a",
        error: undefined,
      });
      await render(client, h(Room, { key: "room", name: "Bea", views }));
      assert.deepEqual((await session.next("presence"))["info"], { name: "Bea" });
      await render(client);
      assert.equal((await session.next("leave"))["topic"], "room.1");
      assert.equal(session.count("presence"), 2);
    });

    test("shouldReturnARefusal", async () => {
      const { client } = await openWith([]);
      const views: PresenceView[] = [];
      await render(client, h(Room, { key: "room", name: "Ann", views }));
      await until("refused", () => views.at(-1)?.error?.code === "unsupported");
    });
  });

  describe("useConsumer", () => {
    function Consuming({ handled, states }: { handled: unknown[]; states: string[] }): ReactNode {
      const { status } = useConsumer("orders", ({ payload }) => handled.push(payload), {
        payload: "json",
      });
      states.push(status);
      return null;
    }

    test("shouldConsumeWhileTheComponentIsMounted", async () => {
      const client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
      clients.push(client);
      const session = await node.session();
      session.hello({ features: ["queues"] });
      const handled: unknown[] = [];
      const states: string[] = [];
      await render(client, h(Consuming, { key: "consumer", handled, states }));
      const { ref } = await session.next("consume");
      session.send({ type: "consuming", ref, queue: "orders" });
      await until("consuming", () => states.at(-1) === "consuming");
      const id = "00000000000000ff";
      session.send({ type: "delivery", ref, tag: 1, id, time: 1, payload: '{"n":1}' });
      const ack = await session.next("ack");
      session.send({ type: "settled", ref: ack.ref, subscription: ref });
      assert.deepEqual(handled, [{ n: 1 }]);
      await render(client);
      const unsubscribe = await session.next("unsubscribe");
      assert.equal(unsubscribe["subscription"], ref);
      assert.equal(session.count("consume"), 1, "renders do not replace the consumer");
    });

    test("shouldConsumeADurableOrSharedSubscription", async () => {
      const client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
      clients.push(client);
      const session = await node.session();
      session.hello({ features: ["durable", "shared"] });
      function Subscribing({ source }: { source: SubscriptionSource }): ReactNode {
        useConsumer({ ...source }, () => undefined);
        return null;
      }
      const durable = { topic: "orders.>", durable: "desk-1" };
      await render(client, h(Subscribing, { key: "consumer", source: durable }));
      const { ref, ...first } = await session.next("consume");
      assert.deepEqual(first, { type: "consume", ...durable, credit: 1 });
      const shared = { topic: "orders.>", shared: "workers" };
      await render(client, h(Subscribing, { key: "consumer", source: shared }));
      const unsubscribe = await session.next("unsubscribe");
      assert.equal(unsubscribe["subscription"], ref);
      const { ref: other, ...second } = await session.next("consume");
      assert.deepEqual(second, { type: "consume", ...shared, credit: 1 });
      assert.notEqual(other, ref);
    });

    test("shouldReturnTheErrorOfASharedClient", async () => {
      const { client } = await open();
      const refusing = Object.create(client) as Client;
      const error = new SluiceError("unsupported", "no");
      const consume = () => Promise.reject(error);
      Object.defineProperty(refusing, "queue", { value: () => ({ consume }) });
      const states: string[] = [];
      await render(refusing, h(Consuming, { key: "consumer", handled: [], states }));
      await until("refused", () => states.at(-1) === "refused");
    });
  });

  describe("useTopic", () => {
    test("shouldShowTheNewestMessage", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: "stocks.7", views }));
      assert.equal(views.at(-1)?.message, undefined);
      assert.equal(views.at(-1)?.state.status, "pending");
      await session.subscribed();
      session.message("stocks.7", 1, "one");
      session.message("stocks.7", 2, "two");
      await shown("two", () => document.body.textContent.includes("two"));
      const view = views.at(-1);
      assert.equal(view?.message?.offset, 2);
      assert.equal(view.payload, "two");
      assert.equal(view.state.status, "live");
      assert.equal(view.gap, undefined);
      assert.equal(view.error, undefined);
    });

    test("shouldRenderOncePerFrameAtAnyMessageRate", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      const count = received(client, "stocks.7");
      await render(client, h(Topic, { topic: "stocks.7", views }));
      await session.subscribed();
      await shown("it is live", () => views.at(-1)?.state.status === "live");
      const before = views.length;
      for (let offset = 1; offset <= 1_000; offset++) session.message("stocks.7", offset, "old");
      session.message("stocks.7", 1_001, "new");
      await until("all have come", () => count() === 1_001);
      assert.equal(views.length, before, "nothing is rendered without a frame");
      assert.equal(frames.waiting, 1);
      frames.show();
      await until("the newest is shown", () => views.at(-1)?.payload === "new");
      assert.equal(views.length, before + 1);
      assert.equal(frames.waiting, 0);
    });

    test("shouldSubscribeOnceUnderStrictMode", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(
        client,
        h(StrictMode, { key: "strict" }, h(Topic, { topic: "stocks.7", views })),
      );
      await session.subscribed();
      session.message("stocks.7", 1, "one");
      await shown("one", () => views.at(-1)?.payload === "one");
      assert.equal(session.count("subscribe"), 1);
      assert.equal(session.count("unsubscribe"), 0);
      root.render(null);
      await session.next("unsubscribe");
      assert.equal(session.count("unsubscribe"), 1);
    });

    test("shouldNeverShowAMessageOfThePreviousTopic", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: "stocks.7", views }));
      await session.subscribed();
      session.message("stocks.7", 1, "of 7");
      await shown("of 7", () => views.at(-1)?.payload === "of 7");
      const before = views.length;
      await render(client, h(Topic, { topic: "stocks.8", views }));
      assert.equal((await session.subscribed())["topic"], "stocks.8");
      assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
      session.message("stocks.8", 1, "of 8");
      await shown("of 8", () => views.at(-1)?.payload === "of 8");
      assert.ok(views.slice(before).every(({ payload }) => payload !== "of 7"));
    });

    test("shouldKeepTheSubscriptionWithNewOptionObjects", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      for (let render = 0; render < 5; render++) {
        await renderTopic(client, views, { from: { last: 2 }, delivery: "latest" });
      }
      await session.subscribed();
      session.message("stocks.7", 1, "one");
      await shown("one", () => views.at(-1)?.payload === "one");
      assert.equal(session.count("subscribe"), 1);
      await renderTopic(client, views, { from: "snapshot", rate: 2 });
      const { from, rate } = await session.next("subscribe");
      assert.deepEqual([from, rate], ["snapshot", 2]);
      assert.equal(views.at(-1)?.error, undefined);
    });

    async function renderTopic(
      client: Client,
      views: TopicView[],
      options: SubscribeOptions,
    ): Promise<void> {
      await render(client, h(Topic, { key: "one", topic: "stocks.7", options, views }));
    }

    test("shouldEndWhileAnAnswerAndAFrameArePending", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: "stocks.7", views }));
      root.render(null);
      assert.equal((await session.next("unsubscribe"))["topic"], "stocks.7");
      await render(client, h(Topic, { topic: "stocks.8", views }));
      session.send({ ...(await answer(session, "stocks.8")) });
      session.message("stocks.8", 1, "one");
      await until("a frame is asked for", () => frames.waiting === 1);
      const before = views.length;
      root.render(null);
      await session.next("unsubscribe");
      frames.show();
      assert.equal(views.length, before);
    });

    async function answer(session: ScriptedSession, topic: string): Promise<object> {
      let subscribe = await session.next("subscribe");
      while (subscribe["topic"] !== topic) subscribe = await session.next("subscribe");
      const { ref } = subscribe;
      return { type: "subscribed", ref, topic, epoch: "aa", offset: 0, time: 1 };
    }

    test("shouldShareASubscriptionAndItsMessages", async () => {
      const { client, session } = await open();
      const [first, second]: TopicView[][] = [[], []];
      assert.ok(first && second);
      const options: SubscribeOptions = { from: "snapshot" };
      const one = h(Topic, { key: 1, topic: "stocks.7", options, views: first });
      await render(client, one);
      await session.subscribed(5, { replay: 1 });
      session.message("stocks.7", 5, "of the snapshot");
      await shown("it", () => first.at(-1)?.payload === "of the snapshot");
      await render(client, one, h(Topic, { key: 2, topic: "stocks.7", options, views: second }));
      await shown("it twice", () => second.at(-1)?.payload === "of the snapshot");
      assert.equal(second.at(-1)?.error, undefined);
      assert.equal(session.count("subscribe"), 1);
    });

    test("shouldDeliverSeparateStartsForDifferentOptions", async () => {
      const { client, session } = await open();
      const [first, second]: [TopicView[], TopicView[]] = [[], []];
      const one = h(Topic, { key: 1, topic: "stocks.7", views: first });
      await render(client, one);
      await session.subscribed(4);
      const options: SubscribeOptions = { from: "snapshot" };
      await render(client, one, h(Topic, { key: 2, topic: "stocks.7", options, views: second }));
      const { from, ref } = await session.subscribed(4, { replay: 1 });
      assert.equal(from, "snapshot");
      session.message("stocks.7", 4, "of the snapshot", { ref });
      await shown("the snapshot", () => second.at(-1)?.payload === "of the snapshot");
      assert.equal(first.at(-1)?.payload, undefined);
      session.message("stocks.7", 5, "live", { ref });
      session.message("stocks.7", 5, "live");
      for (const views of [first, second]) {
        await shown("what both hear", () => views.at(-1)?.payload === "live");
        assert.equal(views.at(-1)?.error, undefined);
      }
    });

    test("shouldResubscribeForAComponentMountedAfterARefusal", async () => {
      const { client, session } = await open();
      const [first, second]: [TopicView[], TopicView[]] = [[], []];
      const one = h(Topic, { key: 1, topic: "secret", views: first });
      await render(client, one);
      const { ref } = await session.next("subscribe");
      session.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
      await shown("the error", () => first.at(-1)?.error?.code === "forbidden");
      await render(client, one, h(Topic, { key: 2, topic: "secret", views: second }));
      await session.subscribed();
      session.message("secret", 1, "reported");
      for (const views of [first, second]) {
        await shown("what both hear", () => views.at(-1)?.payload === "reported");
      }
    });

    test("shouldReportWhyItCannotBeSubscribed", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: "secret", views }));
      const { ref } = await session.next("subscribe");
      const refusal = { code: "forbidden", message: "not for you", topic: "secret" };
      session.send({ type: "error", ref, ...refusal });
      await shown("the error", () => views.at(-1)?.error?.code === "forbidden");
      assert.equal(views.at(-1)?.state.status, "refused");
      await render(client, h(Topic, { topic: "not a topic", views }));
      assert.ok(isSluiceError("invalid-argument")(views.at(-1)?.error));
    });

    test("shouldShowAGapUntilTheNextMessage", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: "stocks.7", views }));
      await session.subscribed();
      session.message("stocks.7", 1, "one");
      session.send({ type: "gap", topic: "stocks.7", reason: "overload", offset: 3, time: 1 });
      await shown("a gap", () => views.at(-1)?.gap?.reason === "overload");
      assert.equal(views.at(-1)?.payload, "one");
      session.message("stocks.7", 4, "four");
      await shown("four", () => views.at(-1)?.payload === "four");
      assert.equal(views.at(-1)?.gap, undefined);
    });

    test("shouldSubscribeToNothingWithoutATopic", async () => {
      const { client, session } = await open();
      const views: TopicView[] = [];
      await render(client, h(Topic, { topic: undefined, views }));
      assert.equal(views.at(-1)?.state.status, "pending");
      assert.equal(session.count("subscribe"), 0);
    });
  });

  describe("useMessages", () => {
    test("shouldKeepTheLatest", async () => {
      const { client, session } = await open();
      const views: MessageView[] = [];
      await render(client, h(Messages, { topic: "chat", options: { keep: 3 }, views }));
      await session.subscribed();
      for (let offset = 1; offset <= 5; offset++) session.message("chat", offset, String(offset));
      await shown("the last", () => payloads(views.at(-1)).at(-1) === "5");
      assert.deepEqual(payloads(views.at(-1)), ["3", "4", "5"]);
      await render(client, h(Messages, { topic: "chat", options: { keep: 2 }, views }));
      await shown("fewer", () => payloads(views.at(-1)).length === 2);
      assert.equal(session.count("subscribe"), 1);
    });

    test("shouldRespectTheLimitWithoutAnimationFrames", async () => {
      const { client, session } = await open();
      const views: MessageView[] = [];
      const count = received(client, "chat");
      await render(client, h(Messages, { topic: "chat", options: { keep: 3 }, views }));
      await session.subscribed();
      for (let offset = 1; offset <= 5_000; offset++) session.message("chat", offset, "many");
      await until("all have come", () => count() === 5_000);
      assert.equal(frames.waiting, 1);
      assert.deepEqual(payloads(views.at(-1)), []);
      frames.show();
      await until("they are shown", () => payloads(views.at(-1)).length > 0);
      assert.deepEqual(
        views.at(-1)?.messages.map(({ offset }) => offset),
        [4_998, 4_999, 5_000],
      );
    });

    const bySymbol = (message: Message): unknown => message.properties["symbol"];

    test("shouldKeepTheNewestOfEachKey", async () => {
      const { client, session } = await open();
      const views: MessageView[] = [];
      const options = { keep: 2, by: (message: Message) => bySymbol(message) };
      await render(client, h(Messages, { topic: "stocks.>", options, views }));
      await session.subscribed();
      const pattern = "stocks.>";
      for (const [index, symbol] of ["A", "B", "A", "C"].entries()) {
        const offset = index + 1;
        const members = { pattern, properties: { symbol } };
        session.message("stocks.x", offset, `${symbol}${String(offset)}`, members);
      }
      await shown("the last", () => payloads(views.at(-1)).includes("C4"));
      assert.deepEqual(payloads(views.at(-1)), ["A3", "C4"]);
    });

    test("shouldReportAGapWithinTheRetainedMessages", async () => {
      const { client, session } = await open();
      const views: MessageView[] = [];
      await render(client, h(Messages, { topic: "chat", options: { keep: 2 }, views }));
      await session.subscribed();
      session.message("chat", 1, "1");
      session.send({ type: "gap", topic: "chat", reason: "overload", offset: 3, time: 1 });
      session.message("chat", 4, "4");
      await shown("both", () => payloads(views.at(-1)).length === 2);
      assert.equal(views.at(-1)?.gap?.reason, "overload");
      session.message("chat", 5, "5");
      await shown("what is behind the gap", () => payloads(views.at(-1))[0] === "4");
      assert.equal(views.at(-1)?.gap, undefined);
    });

    test("shouldStartOverIfTheNodeCannotResume", async () => {
      const { client, session } = await open();
      const views: MessageView[] = [];
      await render(client, h(Messages, { topic: "chat", options: { keep: 9 }, views }));
      await session.subscribed();
      session.message("chat", 1, "1");
      session.message("chat", 2, "2");
      await shown("two", () => payloads(views.at(-1)).length === 2);
      session.cut();
      const next = await node.session();
      next.hello();
      await next.subscribed(2, { recovered: false, replay: 1 });
      await shown("the gap", () => views.at(-1)?.gap?.reason === "not-recovered");
      assert.deepEqual(payloads(views.at(-1)), ["1", "2"]);
      next.message("chat", 2, "2");
      await shown("the state of now", () => payloads(views.at(-1)).length === 1);
      assert.deepEqual(payloads(views.at(-1)), ["2"]);
    });

    test("shouldStartWithTheMessagesOfAnotherComponent", async () => {
      const { client, session } = await open();
      const [first, second]: MessageView[][] = [[], []];
      assert.ok(first && second);
      const options = { keep: 3, from: { last: 3 } };
      const one = h(Messages, { key: 1, topic: "chat", options, views: first });
      await render(client, one);
      await session.subscribed(2, { replay: 2 });
      session.message("chat", 1, "1");
      session.send({ type: "gap", topic: "chat", reason: "overload", offset: 4, time: 1 });
      session.message("chat", 5, "5");
      await shown("both", () => payloads(first.at(-1)).length === 2);
      await render(client, one, h(Messages, { key: 2, topic: "chat", options, views: second }));
      await shown("both again", () => payloads(second.at(-1)).length === 2);
      assert.deepEqual(payloads(second.at(-1)), ["1", "5"]);
      assert.equal(second.at(-1)?.gap?.reason, "overload");
    });
  });

  test("shouldShowTheStateOfTheConnection", async () => {
    const { client, session } = await open();
    const statuses: string[] = [];
    const State = (): null => {
      statuses.push(useConnection().status);
      return null;
    };
    await render(client, h(State));
    assert.equal(statuses.at(-1), "open");
    session.send({ type: "stale" });
    await until("stale", () => statuses.at(-1) === "stale");
  });

  test("shouldPublishThroughTheSameFunctionAtEachRender", async () => {
    const { client, session } = await open();
    const functions = new Set<Publish>();
    const Publisher = (): null => {
      functions.add(usePublish());
      return null;
    };
    await render(client, h(Publisher));
    await render(client, h(Publisher));
    const [publish] = functions;
    assert.equal(functions.size, 1);
    const published = publish?.("chat", "hello", { priority: 3 });
    const { ref, payload } = await session.next("publish");
    assert.equal(payload, "hello");
    session.send({ type: "published", ref });
    await published;
  });

  describe("a provider that connects", () => {
    function renderOwning(
      options: ConnectOptions,
      child: ReactNode,
      url = node.url,
      identity = "",
    ): void {
      const provider = h(SluiceProvider, { url: new URL(url), options, identity }, child);
      root.render(h(StrictMode, null, provider));
    }

    test("shouldOpenOneConnectionAndCloseItOnUnmount", async () => {
      const views: TopicView[] = [];
      let tokens = 0;
      for (let render = 1; render <= 3; render++) {
        const token = (): string => `token ${String(++tokens)} of render ${String(render)}`;
        renderOwning({ WebSocket, token, minBackoff: 5 }, h(Topic, { topic: "stocks.7", views }));
        await until("it is rendered", () => views.length >= render);
      }
      const session = await node.session();
      await session.next("connect");
      session.hello();
      await session.subscribed();
      session.message("stocks.7", 1, "one");
      await shown("one", () => views.at(-1)?.payload === "one");
      assert.equal(node.sessions.length, 1);
      session.cut();
      const next = await node.session();
      const { token } = await next.next("connect");
      assert.match(String(token), /of render 3$/, "the latest function is asked");
      next.hello();
      root.render(null);
      await until("it is closed", () => next.closeCode === 1000);
      assert.equal(node.sessions.length, 2);
    });

    test("shouldUseAnotherClientForAnotherUser", async () => {
      const views: TopicView[] = [];
      const publishes: Publish[] = [];
      const Publisher = (): null => {
        publishes.push(usePublish());
        return null;
      };
      const show = (user: string): void => {
        const child = [h(Topic, { key: 1, topic: "stocks.7", views }), h(Publisher, { key: 2 })];
        renderOwning({ WebSocket, encoding: "json", token: () => user }, child, node.url, user);
      };
      show("ann");
      const session = await node.session();
      assert.equal((await session.next("connect"))["token"], "ann");
      session.hello();
      await session.subscribed();
      session.message("stocks.7", 1, "of ann");
      await shown("it", () => views.at(-1)?.payload === "of ann");
      const publish = publishes.at(-1);
      const pending = publish?.("orders", "buy");
      await session.next("publish");
      show("bob");
      await assert.rejects(pending ?? Promise.resolve(), isSluiceError("connection-lost"));
      await until("the session of ann ends", () => session.closeCode === 1000);
      assert.equal(views.at(-1)?.payload, undefined);
      await assert.rejects(
        publish?.("orders", "late") ?? Promise.resolve(),
        isSluiceError("closed"),
      );
      const next = await node.session();
      assert.equal((await next.next("connect"))["token"], "bob");
      next.hello();
      assert.equal((await next.subscribed())["from"], undefined);
    });

    test("shouldRemainClosedAfterClose", async () => {
      const views: TopicView[] = [];
      const all = new Set<Client>();
      const User = (): null => {
        all.add(useClient());
        return null;
      };
      const child = (key: number): ReactNode[] => [
        h(Topic, { key, topic: "stocks.7", views }),
        h(User, { key: "user" }),
      ];
      renderOwning({ WebSocket }, child(1));
      const session = await node.session();
      session.hello();
      await session.subscribed();
      const [client] = all;
      client?.close();
      await until("it is closed", () => session.closeCode === 1000);
      const before = views.length;
      renderOwning({ WebSocket }, child(2));
      await until("it is rendered", () => views.length > before);
      await assert.rejects(client?.publish("a", "x") ?? Promise.resolve(), isSluiceError("closed"));
      assert.equal(all.size, 1);
      assert.equal(node.sessions.length, 1);
    });

    test("shouldConnectElsewhereWhenTheAddressChanges", async () => {
      const other = await ScriptedNode.start();
      try {
        const views: TopicView[] = [];
        renderOwning({ WebSocket }, h(Topic, { topic: "stocks.7", views }));
        const session = await node.session();
        session.hello();
        await session.subscribed();
        renderOwning({ WebSocket }, h(Topic, { topic: "stocks.7", views }), other.url);
        const elsewhere = await other.session();
        elsewhere.hello();
        await elsewhere.subscribed();
        await until("the first is closed", () => session.closeCode === 1000);
        elsewhere.message("stocks.7", 1, "from elsewhere");
        await shown("it", () => views.at(-1)?.payload === "from elsewhere");
      } finally {
        await other.stop();
      }
    });
  });
});
