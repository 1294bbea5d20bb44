import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { encodeConnect } from "../src/engine/frames.js";
import { HttpSocket } from "../src/transport/http-socket.js";
import { toConnection } from "../src/transport/transport.js";
import {
  connect,
  type ConnectOptions,
  type Gap,
  type Message,
  type Client,
  type SluiceError,
  type SubscribeOptions,
} from "../src/index.js";
import { Link } from "../src/transport/link.js";
import { toSettings } from "../src/engine/options.js";
import { ScriptedGateway, type StreamSession } from "./scripted-gateway.js";
import { isSluiceError, LeapingClock, until } from "./support.js";

const TIMEOUT = { timeout: 300_000 };

describe("with blocked WebSockets", TIMEOUT, () => {
  let gateway: ScriptedGateway;
  let clients: Client[];
  let errors: SluiceError[];
  let gaps: Gap[];
  let statuses: string[];

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    gateway.passage = "refused";
    clients = [];
    errors = [];
    gaps = [];
    statuses = [];
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await gateway.stop();
  });

  function open(options: ConnectOptions = {}): Client {
    const client = connect(gateway.url, { WebSocket, minBackoff: 5, maxBackoff: 20, ...options });
    client.on("error", (error) => errors.push(error));
    client.on("gap", (gap) => gaps.push(gap));
    client.on("state", ({ status }) => statuses.push(status));
    clients.push(client);
    return client;
  }

  /** Opens a client with one live subscription over HTTP, and records its messages. */
  async function openStream(
    options: ConnectOptions = {},
    hello: Readonly<Record<string, unknown>> = {},
    subscribe: SubscribeOptions = {},
  ): Promise<{ client: Client; stream: StreamSession; received: unknown[] }> {
    const client = open({ encoding: "json", ...options });
    const received: unknown[] = [];
    client.subscribe("a", ({ payload }) => received.push(payload), subscribe);
    const stream = await gateway.stream();
    stream.hello(hello);
    await stream.subscribed(1);
    await until("the client is open", () => client.state.status === "open");
    statuses.length = 0;
    return { client, stream, received };
  }

  /** Confirms the only publish of a request. */
  async function answer(exchange: StreamSession): Promise<void> {
    const { ref } = await exchange.next("publish");
    exchange.send({ type: "published", ref });
    exchange.close(1000);
  }

  describe("opening", () => {
    for (const passage of ["refused", "cut", "hanging", "silent"] as const) {
      test(`shouldFallBackToHttpWhenWebSocketsAre ${passage}`, async () => {
        gateway.passage = passage;
        const clock = new LeapingClock();
        const opening = openStream({ clock });
        await until("a WebSocket was tried", () => gateway.upgrades === 1);
        if (passage === "hanging" || passage === "silent") clock.leap(10_000);
        const { client, stream, received } = await opening;
        stream.message("a", 2, "hello");
        await until("a message", () => received.length === 1);
        assert.equal(client.transport, "http");
        assert.equal(gateway.upgrades, 1);
      });
    }

    test("shouldSendOneRequestWithoutPreflight", async () => {
      const client = open({ token: () => Promise.resolve("s3cret") });
      client.subscribe("a", () => undefined);
      client.subscribe("b.>", () => undefined, { from: "snapshot" });
      const { request, frames, subprotocol } = await gateway.stream();
      assert.equal(subprotocol, "sluice.v1.bin");
      assert.equal(request.method, "POST");
      assert.equal(request.url, "/some/stream?protocol=sluice.v1.bin");
      assert.equal(request.headers["content-type"], "text/plain");
      assert.equal(request.headers.cookie, undefined);
      assert.deepEqual(frames, [
        { type: "connect", token: "s3cret", client: "sluice-js/0.1.0", redirect: true },
        { type: "subscribe", ref: 1, topic: "a" },
        { type: "subscribe", ref: 2, topic: "b.>", from: "snapshot" },
      ]);
    });

    test("shouldParseBinaryMessagesAtAnySplitPoint", async () => {
      gateway.cut = () => 1;
      const client = open();
      const messages: Message[] = [];
      client.subscribe("a", (message) => messages.push(message));
      const stream = await gateway.stream();
      stream.hello();
      await stream.subscribed(41, { channel: 12 });
      stream.binaryMessage(12, 42, "price 1 €");
      stream.ping();
      stream.binaryMessage(12, 43, "x".repeat(200));
      await until("two messages", () => messages.length === 2);
      assert.deepEqual(
        messages.map(({ topic, offset, payload }) => [topic, offset, payload]),
        [
          ["a", 42, "price 1 €"],
          ["a", 43, "x".repeat(200)],
        ],
      );
      assert.deepEqual(errors, []);
    });

    test("shouldReportTheReasonOfARefusedRequest", async () => {
      gateway.refusal = { status: 503, text: "the node is full\n" };
      const client = open({ transports: ["http"] });
      await until("refused", () => gateway.requests > 1);
      assert.ok(client.state.status === "connecting");
      const { code, reason } = client.state.lastEnd ?? {};
      assert.deepEqual([code, reason], [1006, "HTTP 503: the node is full"]);
    });

    test("shouldAlternateTransportsUntilOneWorks", async () => {
      gateway.refusal = { status: 502, text: "" };
      const client = open();
      await until("both were tried", () => gateway.upgrades > 2 && gateway.requests > 2);
      assert.ok(Math.abs(gateway.upgrades - gateway.requests) <= 1);
      gateway.refusal = undefined;
      (await gateway.stream()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldNotChangeTheTransportIfTheTokenFunctionFails", async () => {
      gateway.passage = "free";
      let asked = 0;
      open({
        token: () => {
          if (++asked === 1) throw new Error("no network");
          return "second";
        },
      });
      await gateway.socket();
      await (await gateway.socket()).next("connect");
      assert.equal(gateway.requests, 0);
    });

    test("shouldUseNoHttpWhereItIsNotAllowed", async () => {
      open({ transports: ["websocket"] });
      await until("tried again", () => gateway.upgrades > 3);
      assert.equal(gateway.requests, 0);
    });

    test("shouldUseNoWebSocketWhereItIsNotAllowed", async () => {
      const { client } = await openStream({ transports: ["http"] });
      assert.equal(client.transport, "http");
      assert.equal(gateway.upgrades, 0);
    });

    test("shouldClosePermanentlyAfterAFatalCloseCode", async () => {
      const client = open();
      (await gateway.stream()).close(4200, "no such token");
      await until("closed", () => client.state.status === "closed");
      assert.ok(client.state.status === "closed");
      assert.equal(client.state.error?.code, "refused");
    });

    test("shouldEndTheRequestWhenTheClientIsClosed", async () => {
      const { client, stream } = await openStream();
      client.close();
      await until("over", () => stream.isOver);
    });
  });

  describe("watching the stream", () => {
    test("shouldTerminateAnIdleStream", async () => {
      const clock = new LeapingClock();
      const { client } = await openStream({ clock }, { pingInterval: 60_000 });
      clock.leap(60_000);
      assert.deepEqual(statuses, []);
      clock.leap(60_000);
      assert.ok(client.state.status === "connecting");
      assert.ok(client.state.lastEnd?.reason.includes("heartbeat timeout"));
    });

    test("shouldCountAPingOfTheNodeAsActivity", async () => {
      const socket = new HttpSocket(
        toConnection(toSettings(gateway.url, { WebSocket }), gateway.url),
        () => "live",
      );
      const data: unknown[] = [];
      let activity = 0;
      socket.addEventListener("message", (event) => data.push(event.data));
      const nothing = (): void => undefined;
      const link: Link = new Link(socket, {
        onOpen: () => link.send(encodeConnect(undefined, { redirect: false }, false)),
        onActivity: () => activity++,
        onFrame: nothing,
        onBinary: nothing,
        onBadFrame: nothing,
        onEnd: nothing,
      });
      (await gateway.stream()).ping();
      await until("a ping", () => data.length === 1);
      assert.deepEqual(data, [null]);
      assert.equal(activity, 1);
      link.close();
    });

    test("shouldKeepAStreamWithActivityJustBeforeTheTimeout", async () => {
      const clock = new LeapingClock();
      const { client, stream, received } = await openStream({ clock }, { pingInterval: 60_000 });
      for (let i = 0; i < 3; i++) {
        clock.leap(110_000);
        stream.message("a", 2 + i, "x");
        await until("a message", () => received.length > i);
      }
      assert.equal(client.state.status, "open");
      assert.equal(gateway.requests, 1);
    });

    test("shouldNotCountPublishAnswersAsStreamActivity", async () => {
      const clock = new LeapingClock();
      const { client } = await openStream({ clock }, { pingInterval: 20_000 });
      clock.leap(20_000);
      const publish = client.publish("b", "x");
      const exchange = await gateway.publishRequest();
      const { ref } = await exchange.next("publish");
      exchange.send({ type: "published", ref });
      await publish;
      clock.leap(20_000);
      assert.ok(client.state.status === "connecting");
      assert.ok(client.state.lastEnd?.reason.includes("heartbeat timeout"));
    });

    test("shouldTreatAStreamWithoutACloseFrameAsLost", async () => {
      const { client, stream } = await openStream();
      stream.cut();
      await until("lost", () => client.state.status === "connecting");
      assert.ok(client.state.status === "connecting");
      assert.equal(client.state.lastEnd?.code, 1006);
    });
  });

  describe("changing subscriptions", () => {
    test("shouldRenewTheStreamOnceForSubscribesOfOneTask", async () => {
      const { client, stream, received } = await openStream();
      stream.message("a", 2, "one");
      await until("a message", () => received.length === 1);
      client.subscribe("b", () => undefined);
      client.subscribe("c", () => undefined);
      const next = await gateway.stream();
      await until("the old one is over", () => stream.isOver);
      assert.deepEqual(
        next.frames.map(({ type, topic, from }) => [type, topic, typeof from]),
        [
          ["connect", undefined, "undefined"],
          ["subscribe", "a", "object"],
          ["subscribe", "b", "undefined"],
          ["subscribe", "c", "undefined"],
        ],
      );
      next.hello();
      await next.subscribed(2, { recovered: true });
      next.message("a", 3, "two");
      await until("a message", () => received.length === 2);
      assert.deepEqual(received, ["one", "two"]);
      assert.deepEqual(statuses, []);
      assert.equal(gateway.upgrades, 1);
      assert.deepEqual(gaps, []);
    });

    test("shouldNotReportARenewalToSubscriptions", async () => {
      const { client, stream } = await openStream();
      const states: string[] = [];
      const received: unknown[] = [];
      client.subscribe("a", {
        onMessage: ({ payload }) => received.push(payload),
        onState: ({ status }) => states.push(status),
      });
      await until("reported", () => states.length === 1);
      client.subscribe("b", () => undefined);
      const next = await gateway.stream();
      next.hello();
      await next.subscribed(1, { recovered: true });
      await next.subscribed(7);
      next.message("a", 2, "two");
      await until("received again", () => received.includes("two"));
      assert.deepEqual(states, ["live"]);
      assert.ok(stream.isOver);
    });

    test("shouldNotRepeatARefusedRequest", async () => {
      const { client, stream } = await openStream();
      client.subscribe("secret", () => undefined);
      const second = await gateway.stream();
      second.hello();
      await second.subscribed(1, { recovered: true });
      const { ref } = await second.next("subscribe");
      second.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
      await until("refused", () => errors.length === 1);
      client.subscribe("b", () => undefined);
      const third = await gateway.stream();
      assert.deepEqual(
        third.frames.map(({ topic }) => topic),
        [undefined, "a", "b"],
      );
      assert.ok(stream.isOver);
    });

    test("shouldRepeatARequestRefusedByAQuotaAfterGrowingWaits", async () => {
      const clock = new LeapingClock(400);
      const { client } = await openStream({ clock, random: () => 0.7 });
      /** Answers the requests of the next stream, and refuses that of "b"; returns their topics. */
      const answerStream = async (): Promise<unknown[]> => {
        const next = await gateway.stream();
        next.hello();
        const requests = next.frames.filter(({ type }) => type === "subscribe");
        for (const { ref, topic } of requests) {
          if (topic === "b") {
            next.send({ type: "error", ref, code: "rate-limited", message: "slower", topic });
          } else {
            const epoch = "1f0a6c2b9d3e4f58";
            next.send({ type: "subscribed", ref, topic, epoch, offset: 1, recovered: true });
          }
        }
        return requests.map(({ topic }) => topic);
      };
      client.subscribe("b", () => undefined);
      assert.deepEqual(await answerStream(), ["a", "b"]);
      await until("a wait", () => clock.hasTimer(700));
      client.subscribe("c", () => undefined);
      assert.deepEqual(await answerStream(), ["a", "c"]);
      for (const ms of [700, 1_400, 2_800]) {
        await until("a wait", () => clock.hasTimer(ms));
        clock.leap(ms);
        assert.deepEqual(await answerStream(), ["a", "b", "c"]);
      }
    });

    test("shouldDelayTheRenewalUntilASnapshotIsComplete", async () => {
      const client = open({ encoding: "json" });
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload), { from: "snapshot" });
      const stream = await gateway.stream();
      stream.hello();
      await stream.subscribed(3, { replay: 2 });
      stream.message("a", 1, "one");
      await until("a message", () => received.length === 1);
      const begin = Date.now();
      client.subscribe("b", () => undefined);
      await until("it would have been renewed", () => Date.now() - begin > 300);
      assert.equal(gateway.requests, 1);
      stream.message("a", 3, "three");
      const next = await gateway.stream();
      assert.equal(typeof (await next.next("subscribe"))["from"], "object");
      assert.deepEqual(received, ["one", "three"]);
      assert.deepEqual(gaps, []);
    });

    test("shouldUnsubscribe", async () => {
      const { client, stream, received } = await openStream();
      const undo = client.subscribe("b", () => assert.fail("never published"));
      const second = await gateway.stream();
      second.hello();
      await second.subscribed(1, { recovered: true });
      await second.subscribed(1);
      second.message("a", 2, "one");
      await until("a message", () => received.length === 1);
      undo.unsubscribe();
      second.message("b", 2, "for nobody");
      const third = await gateway.stream();
      assert.deepEqual(
        third.frames.map(({ topic }) => topic),
        [undefined, "a"],
      );
      assert.ok(stream.isOver);
    });

    test("shouldStayOpenWithoutSubscriptions", async () => {
      const client = open({ encoding: "json" });
      const first = await gateway.stream();
      first.hello();
      first.close(1000);
      await until("open", () => client.state.status === "open");
      statuses.length = 0;
      await until("over", () => first.isOver);
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload));
      const second = await gateway.stream();
      second.hello();
      await second.subscribed(0);
      second.message("a", 1, "one");
      await until("a message", () => received.length === 1);
      assert.deepEqual(statuses, []);
    });

    test("shouldSendPingsWithoutSubscriptions", async () => {
      const clock = new LeapingClock();
      const client = open({ clock });
      const stream = await gateway.stream();
      stream.hello({ pingInterval: 20_000 });
      stream.close(1000);
      for (let i = 0; i < 3; i++) {
        const exchange = await gateway.publishRequest();
        assert.equal(exchange.frames[0]?.["type"], "connect");
        const { ref } = await exchange.next("ping");
        exchange.hello();
        exchange.send({ type: "pong", ref, time: Date.now() });
        exchange.close(1000);
        // Requests are sequential: this one follows the pong.
        const publish = client.publish("b", "x");
        await answer(await gateway.publishRequest());
        await publish;
        clock.leap(20_000);
      }
      assert.equal(client.state.status, "open");
      clock.leap(20_000);
      assert.equal(client.state.status, "connecting");
    });

    test("shouldTreatAnEndedStreamWithSubscriptionsAsLost", async () => {
      const { client, stream } = await openStream();
      stream.close(1000);
      await until("lost", () => statuses.includes("connecting"));
      (await gateway.stream()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldReportAnotherNode", async () => {
      const { client } = await openStream();
      client.subscribe("b", () => undefined);
      const next = await gateway.stream();
      next.hello({ node: "other", broker: "down" });
      await until("stale", () => client.state.status === "stale");
      assert.ok(client.state.status === "stale");
      assert.equal(client.state.hello.node, "other");
      assert.deepEqual(statuses, ["stale"]);
    });
  });

  describe("returning to WebSocket", () => {
    test("shouldReturnToWebSocketWhenAStreamExpires", async () => {
      const clock = new LeapingClock();
      const { client, stream, received } = await openStream({ clock });
      stream.message("a", 2, "one");
      await until("a message", () => received.length === 1);
      gateway.passage = "free";
      clock.leap(300_000);
      stream.close(4101);
      const socket = await gateway.socket();
      socket.hello();
      const { from } = (await socket.subscribed(2, { recovered: true })) as {
        from?: { offset?: number };
      };
      assert.equal(from?.offset, 2);
      socket.message("a", 3, "two");
      await until("a message", () => received.length === 2);
      assert.equal(client.transport, "websocket");
      assert.deepEqual(statuses, []);
      assert.deepEqual(gaps, []);
    });

    test("shouldReturnToWebSocketSoonIfItHasWorked", async () => {
      gateway.passage = "free";
      const clock = new LeapingClock();
      const client = open({ clock, encoding: "json", random: () => 0 });
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload));
      const first = await gateway.socket();
      first.hello();
      await first.subscribed(1);
      gateway.passage = "refused";
      first.cut();
      const stream = await gateway.stream();
      assert.equal(gateway.upgrades, 4);
      stream.hello();
      await stream.subscribed(1, { recovered: true });
      stream.message("a", 2, "one");
      await until("a message", () => received.length === 1);
      statuses.length = 0;
      gateway.passage = "free";
      clock.leap(10_000);
      const second = await gateway.socket();
      second.hello();
      await second.subscribed(2, { recovered: true });
      second.message("a", 3, "two");
      await until("a message", () => received.length === 2);
      assert.ok(stream.isOver);
      assert.deepEqual(statuses, []);
    });

    test("shouldRefusePresenceUntilItReturnsToWebSocket", async () => {
      const clock = new LeapingClock();
      const { client, stream } = await openStream({ clock }, { features: ["presence"] });
      await assert.rejects(client.presence("a"), isSluiceError("unsupported"));
      const refusals: string[] = [];
      const opening = client.presence("a", { onError: ({ code }) => refusals.push(code) });
      await until("refused", () => refusals.length === 1);
      gateway.passage = "free";
      clock.leap(300_000);
      stream.close(4101);
      const socket = await gateway.socket();
      socket.hello({ features: ["presence"] });
      const { ref } = await socket.next("presence");
      socket.send({ type: "present", ref, topic: "a", self: "m", count: 1 });
      assert.equal((await opening).count, 1);
      assert.deepEqual(refusals, ["unsupported"]);
      assert.deepEqual(errors, []);
    });

    test("shouldStayWithHttpWhileWebSocketsAreBlocked", async () => {
      const clock = new LeapingClock();
      const { client, stream, received } = await openStream({ clock });
      let last = stream;
      for (const passage of ["refused", "cut", "silent"] as const) {
        gateway.passage = passage;
        const { upgrades } = gateway;
        clock.leap(300_000);
        last.close(4101);
        await until("a WebSocket was tried", () => gateway.upgrades > upgrades);
        if (passage === "silent") clock.leap(3_000);
        last = await gateway.stream();
        assert.equal(gateway.upgrades, upgrades + 1);
        last.hello();
        await last.subscribed(1, { recovered: true });
        const before = received.length;
        last.message("a", 2 + before, "next");
        await until("a message", () => received.length > before);
      }
      assert.equal(client.transport, "http");
      assert.deepEqual(statuses, []);
    });

    test("shouldReportALossIfAStreamCannotBeRenewed", async () => {
      const clock = new LeapingClock();
      const { client, stream } = await openStream({ clock });
      clock.leap(300_000);
      gateway.refusal = { status: 503, text: "draining" };
      stream.close(4101);
      await until("lost", () => client.state.status === "connecting");
      assert.equal(client.transport, undefined);
      gateway.refusal = undefined;
      (await gateway.stream()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldNotRenewShortStreamsInALoop", async () => {
      const { stream } = await openStream();
      stream.close(4101);
      await until("reported", () => statuses.includes("connecting"));
    });

    test("shouldAnswerPublishesBeforeItReturnsToWebSocket", async () => {
      const clock = new LeapingClock(1_000);
      const { client, stream } = await openStream({ clock });
      const before = client.publish("b", "before");
      const exchange = await gateway.publishRequest();
      clock.leap(2_000);
      gateway.passage = "free";
      stream.close(4101);
      await until("the client waits for its publish only", () => clock.hasTimer(2_000));
      const after = client.publish("b", "after");
      const { ref } = await exchange.next("publish");
      exchange.send({ type: "published", ref });
      exchange.close(1000);
      await before;
      const socket = await gateway.socket();
      socket.hello();
      const frame = await socket.next("publish");
      assert.equal(frame["payload"], "after");
      socket.send({ type: "published", ref: frame.ref });
      await after;
    });
  });

  describe("publishing", () => {
    test("shouldSendRequestsSequentiallyInOrder", async () => {
      const { client } = await openStream({ token: "s3cret" });
      const all = [client.publish("b", "1")];
      const first = await gateway.publishRequest();
      for (const payload of ["2", "3"]) all.push(client.publish("b", payload));
      const { ref } = await first.next("publish");
      first.hello({ node: "other" });
      first.send({ type: "stale" });
      first.send({ type: "published", ref });
      await all[0];
      assert.equal(gateway.requestCount, 1);
      first.close(1000);
      const second = await gateway.publishRequest();
      assert.deepEqual(
        second.frames.map(({ type, payload, token }) => [type, payload ?? token]),
        [
          ["connect", "s3cret"],
          ["publish", "2"],
          ["publish", "3"],
        ],
      );
      for (const frame of second.frames.slice(1)) {
        second.send({ type: "published", ref: frame["ref"] });
      }
      await Promise.all(all);
      assert.ok(client.state.status === "open");
      assert.equal(client.state.hello.node, "scripted");
    });

    test("shouldPublishBytesAsText", async () => {
      const { client } = await openStream({ encoding: "binary" });
      client.publish("b", Uint8Array.of(1, 2, 3)).catch(() => undefined);
      const { payload, encoding } = await (await gateway.publishRequest()).next("publish");
      assert.deepEqual([payload, encoding], ["AQID", "base64"]);
    });

    test("shouldForwardTheErrorOfTheNode", async () => {
      const { client } = await openStream();
      const publish = client.publish("b", "x");
      const exchange = await gateway.publishRequest();
      const { ref } = await exchange.next("publish");
      exchange.send({ type: "error", ref, code: "forbidden", message: "no", topic: "b" });
      await assert.rejects(publish, isSluiceError("forbidden"));
    });

    test("shouldReportNotSentAfterARefusal", async () => {
      const { client, stream, received } = await openStream();
      gateway.refusal = { status: 503, text: "the node is draining" };
      await assert.rejects(client.publish("b", "x"), (error: SluiceError) => {
        assert.equal(error.topic, "b");
        assert.match(error.message, /draining/);
        return isSluiceError("not-sent")(error);
      });
      stream.message("a", 2, "the stream lives");
      await until("a message", () => received.length === 1);
    });

    test("shouldReportAnUnknownOutcomeAfterABrokenRequest", async () => {
      const { client } = await openStream();
      const all = [client.publish("b", "1"), client.publish("b", "2")];
      const exchange = await gateway.publishRequest();
      const { ref } = await exchange.next("publish");
      exchange.send({ type: "published", ref });
      await all[0];
      exchange.cut();
      await assert.rejects(Promise.all(all), isSluiceError("connection-lost"));
      gateway.refusal = { status: 502, text: "" };
      await assert.rejects(client.publish("b", "x"), isSluiceError("connection-lost"));
      assert.equal(client.state.status, "open");
    });

    test("shouldTimeOutAnUnansweredPublish", async () => {
      const { client } = await openStream({ publishTimeout: 100 });
      await assert.rejects(client.publish("b", "x"), isSluiceError("publish-timeout"));
      await until("lost", () => client.state.status === "connecting");
    });

    test("shouldPublishWhileTheStreamIsRenewed", async () => {
      const { client } = await openStream();
      const publish = client.publish("b", "x");
      const exchange = await gateway.publishRequest();
      client.subscribe("c", () => undefined);
      const next = await gateway.stream();
      next.hello();
      const { ref } = await exchange.next("publish");
      exchange.send({ type: "published", ref });
      await publish;
    });

    test("shouldSplitPublishesThatExceedOneRequest", async () => {
      const { client } = await openStream();
      const payload = "x".repeat(60_000);
      const all = Array.from({ length: 10 }, () => client.publish("b", payload));
      const counts: number[] = [];
      while (counts.reduce((sum, count) => sum + count, 0) < 10) {
        const exchange = await gateway.publishRequest();
        counts.push(exchange.count("publish"));
        for (const { ref } of exchange.frames.slice(1)) exchange.send({ type: "published", ref });
        exchange.close(1000);
      }
      await Promise.all(all);
      assert.deepEqual(counts, [4, 4, 2]);
    });

    test("shouldRequestAnotherTokenWhenOneIsRejected", async () => {
      let asked = 0;
      const { client } = await openStream({ token: () => `token ${String(++asked)}` });
      const publish = client.publish("b", "x");
      (await gateway.publishRequest()).close(4200, "expired");
      await assert.rejects(publish, isSluiceError("not-sent"));
      const next = await gateway.stream();
      assert.equal(next.frames[0]?.["token"], `token ${String(asked)}`);
    });
  });

  test("shouldSendCredentialsOnlyOnRequest", async () => {
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = (url, init) => {
      if (init?.method === "POST") sent.push(init.credentials);
      return globalThis.fetch(url, init);
    };
    await openStream({ fetch });
    await openStream({ fetch, credentials: "include" });
    assert.deepEqual(sent, ["omit", "include"]);
    assert.throws(
      () => connect(gateway.url, { WebSocket, credentials: "same-site" as never }),
      isSluiceError("invalid-argument"),
    );
  });

  test("shouldRejectInvalidTransports", () => {
    for (const transports of [[], ["carrier pigeon"], "http"]) {
      assert.throws(
        () => connect(gateway.url, { WebSocket, transports: transports as never }),
        isSluiceError("invalid-argument"),
      );
    }
    assert.throws(
      () => connect(gateway.url, { fetch: 7 as never }),
      isSluiceError("invalid-argument"),
    );
  });

  test("shouldNeedNoWebSocketClassWhereThereIsHttp", async () => {
    const platform = globalThis as { WebSocket?: unknown };
    const { WebSocket } = platform;
    try {
      delete platform.WebSocket;
      const client = connect(gateway.url);
      clients.push(client);
      (await gateway.stream()).hello();
      await until("open", () => client.state.status === "open");
      assert.throws(
        () => connect(gateway.url, { transports: ["websocket"] }),
        isSluiceError("invalid-argument"),
      );
    } finally {
      if (WebSocket) platform.WebSocket = WebSocket;
    }
  });

  test("shouldNotUseHttpWithoutStreamedResponses", async () => {
    const { Response } = globalThis;
    try {
      globalThis.Response = Object as unknown as typeof Response;
      open();
      assert.throws(
        () => connect(gateway.url, { transports: ["http"] }),
        isSluiceError("invalid-argument"),
      );
      await until("tried again", () => gateway.upgrades > 2);
    } finally {
      globalThis.Response = Response;
    }
    assert.equal(gateway.requests, 0);
  });
});
