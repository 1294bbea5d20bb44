import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import {
  connect,
  SluiceError,
  type ConnectionState,
  type ConnectOptions,
  type Gap,
  type Message,
  type Position,
  type Client,
  type SubscribeOptions,
  type SubscriptionState,
} from "../src/index.js";
import { NODE_TIME, ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

const TIMEOUT = { timeout: 300_000 };

describe("client", TIMEOUT, () => {
  let node: ScriptedNode;
  let clients: Client[];
  let errors: SluiceError[];

  beforeEach(async () => {
    node = await ScriptedNode.start();
    clients = [];
    errors = [];
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await node.stop();
  });

  function open(options: ConnectOptions = {}): Client {
    const client = connect(node.url, {
      WebSocket,
      transports: ["websocket"],
      minBackoff: 5,
      maxBackoff: 20,
      ...options,
    });
    client.on("error", (error) => errors.push(error));
    clients.push(client);
    return client;
  }

  async function openWithHello(
    options: ConnectOptions = {},
    members = {},
  ): Promise<{ client: Client; session: ScriptedSession }> {
    const client = open(options);
    const session = await node.session();
    session.hello(members);
    await until("the client has its hello", () => client.state.status !== "connecting");
    return { client, session };
  }

  describe("opening", () => {
    test("shouldSendConnectAndBecomeOpen", async () => {
      const client = open({ token: "s3cret" });
      const states: ConnectionState[] = [];
      client.on("state", (state) => states.push(state));
      assert.equal(client.state.status, "connecting");
      const session = await node.session();
      const frame = await session.next("connect");
      assert.deepEqual(frame, {
        type: "connect",
        token: "s3cret",
        client: "sluice-js/0.1.0",
        redirect: true,
      });
      assert.equal(session.subprotocol, "sluice.v1.bin");
      session.hello();
      await until("open", () => client.state.status === "open");
      assert.equal(states.length, 1);
      assert.ok(states[0]?.status === "open" && states[0].hello.node === "scripted");
    });

    test("shouldOfferJsonOnRequest", async () => {
      open({ encoding: "json" });
      assert.equal((await node.session()).subprotocol, "sluice.v1.json");
    });

    test("shouldRequestAFreshTokenForEachConnection", async () => {
      let asked = 0;
      open({ token: () => Promise.resolve(`token ${String(++asked)}`) });
      for (const token of ["token 1", "token 2"]) {
        const session = await node.session();
        assert.equal((await session.next("connect"))["token"], token);
        session.cut();
      }
    });

    test("shouldReportAFailedTokenFunctionAndRetry", async () => {
      let asked = 0;
      open({
        token: () => {
          if (++asked === 1) throw new Error("no network");
          return "second";
        },
      });
      await node.session();
      assert.equal((await (await node.session()).next("connect"))["token"], "second");
      assert.deepEqual(
        errors.map((error) => error.code),
        ["no-token"],
      );
    });

    test("shouldTimeOutAnAttemptWithoutHello", async () => {
      const client = open({ connectTimeout: 30 });
      await node.session();
      await node.session();
      assert.equal(client.state.status, "connecting");
      assert.ok(client.state.lastEnd?.reason.includes("hello"));
    });

    test("shouldEstimateTheClockOfTheNode", async () => {
      const client = open();
      const session = await node.session();
      await session.next("connect");
      session.hello({ time: Date.now() + 5_000 });
      const ping = await session.next("ping");
      session.send({ type: "pong", ref: ping.ref, time: Date.now() + 5_000 });
      await until("an estimate", () => client.clockOffset !== undefined);
      const { offset, uncertainty } = client.clockOffset ?? { offset: 0, uncertainty: 0 };
      assert.ok(
        Math.abs(offset - 5_000) <= uncertainty,
        `${String(offset)}±${String(uncertainty)}`,
      );
    });
  });

  describe("subscribing", () => {
    test("shouldDeliverJsonMessages", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const messages: Message[] = [];
      client.subscribe("stocks.7", (message) => messages.push(message));
      await session.subscribed(41);
      session.message("stocks.7", 42, "price 1 €", { properties: { symbol: "ACME" } });
      await until("a message", () => messages.length === 1);
      const message = messages[0];
      assert.ok(message?.kind === "text");
      assert.equal(message.payload, "price 1 €");
      assert.equal(message.offset, 42);
      assert.equal(message.pattern, undefined);
      assert.deepEqual(message.properties, { symbol: "ACME" });
    });

    test("shouldDeliverBinaryMessages", async () => {
      const { client, session } = await openWithHello();
      const messages: Message[] = [];
      client.subscribe("stocks.7", (message) => messages.push(message));
      await session.subscribed(2 ** 32 - 2, { channel: 12 });
      session.binaryMessage(12, 2 ** 32 - 1, "one");
      session.binaryMessage(12, 2 ** 32, "two");
      await until("two messages", () => messages.length === 2);
      assert.deepEqual(
        messages.map(({ topic, offset, payload }) => [topic, offset, payload]),
        [
          ["stocks.7", 2 ** 32 - 1, "one"],
          ["stocks.7", 2 ** 32, "two"],
        ],
      );
      assert.ok(Math.abs((messages[0]?.time ?? 0) - Date.now()) < 10_000);
    });

    test("shouldDeliverBinaryMessagesThroughAPattern", async () => {
      const { client, session } = await openWithHello();
      const messages: Message[] = [];
      client.subscribe("stocks.>", (message) => messages.push(message));
      await session.subscribed(10);
      const announce = { type: "channel", pattern: "stocks.>" };
      session.send({ ...announce, channel: 17, topic: "stocks.3" });
      session.send({ ...announce, channel: 18, topic: "stocks.4" });
      session.binaryMessage(17, 11, "a");
      session.binaryMessage(18, 12, "b");
      await until("two messages", () => messages.length === 2);
      assert.deepEqual(
        messages.map(({ topic, pattern, offset }) => [topic, pattern, offset]),
        [
          ["stocks.3", "stocks.>", 11],
          ["stocks.4", "stocks.>", 12],
        ],
      );
    });

    test("shouldShareOneSubscriptionAmongManyHandlers", async () => {
      const { client, session } = await openWithHello();
      let first = 0;
      let second = 0;
      const undoFirst = client.subscribe("a", () => first++);
      const undoSecond = client.subscribe("a", () => second++);
      await session.subscribed(0, { channel: 1 });
      session.binaryMessage(1, 1, "x");
      await until("both received", () => first === 1 && second === 1);
      undoFirst.unsubscribe();
      undoFirst.unsubscribe();
      session.binaryMessage(1, 2, "y");
      await until("one received", () => second === 2);
      undoSecond.unsubscribe();
      await session.next("unsubscribe");
      assert.equal(first, 1);
      assert.equal(session.count("subscribe"), 1);
      assert.equal(session.count("unsubscribe"), 1);
    });

    test("shouldNotDeliverOldMessagesToANewSubscription", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const undo = client.subscribe("a", () => assert.fail("taken back"));
      await session.subscribed();
      await until("live", () => session.count("subscribe") === 1);
      undo.unsubscribe();
      const payloads: unknown[] = [];
      client.subscribe("a", ({ payload }) => payloads.push(payload));
      const { ref } = await session.next("unsubscribe");
      session.message("a", 1, "old");
      session.send({ type: "unsubscribed", ref, topic: "a" });
      await session.subscribed(7);
      session.message("a", 8, "new");
      await until("a message", () => payloads.length > 0);
      assert.deepEqual(payloads, ["new"]);
      assert.deepEqual(errors, []);
    });

    test("shouldIgnoreTheAnswerToAWithdrawnSubscribe", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      client.subscribe("a", () => assert.fail("withdrawn")).unsubscribe();
      const states: SubscriptionState[] = [];
      const onState = (state: SubscriptionState): number => states.push(state);
      client.subscribe("a", { onMessage: () => undefined, onState });
      await session.subscribed(1);
      await session.subscribed(2);
      await until("live", () => states.length > 0);
      assert.deepEqual(states, [
        { status: "live", source: undefined, epoch: "1f0a6c2b9d3e4f58", offset: 2 },
      ]);
    });

    test("shouldReportTheStateToALateObserver", async () => {
      const { client, session } = await openWithHello();
      client.subscribe("a", () => undefined);
      await session.subscribed(3, { channel: 1 });
      session.send({ type: "stale" });
      await until("stale", () => client.state.status === "stale");
      const states: string[] = [];
      const onState = ({ status }: SubscriptionState): number => states.push(status);
      client.subscribe("a", { onMessage: () => undefined, onState });
      assert.deepEqual(states, []);
      await until("reported", () => states.length === 1);
      assert.deepEqual(states, ["live"]);
    });

    test("shouldReportARefusalAndResubscribeForTheNextObserver", async () => {
      const { client, session } = await openWithHello();
      const refusals: SluiceError[] = [];
      const onError = (error: SluiceError): number => refusals.push(error);
      client.subscribe("secret", { onMessage: () => undefined, onError });
      const { ref } = await session.next("subscribe");
      session.send({ type: "error", ref, code: "forbidden", message: "no", topic: "secret" });
      await until("refused", () => refusals.length === 1);
      assert.equal(refusals[0]?.code, "forbidden");
      assert.equal(refusals[0].topic, "secret");
      assert.deepEqual(errors, []);
      client.subscribe("secret", () => undefined);
      await session.next("subscribe");
    });

    test("shouldReportARefusalThatEndsALiveSubscription", async () => {
      const { client, session } = await openWithHello();
      const states: string[] = [];
      const refusals: SluiceError[] = [];
      client.subscribe("a", {
        onMessage: () => undefined,
        onState: ({ status }) => states.push(status),
        onError: (error) => refusals.push(error),
      });
      const { ref } = await session.next("subscribe");
      session.send({ type: "subscribed", ref, topic: "a", epoch: "00000000000000ff", offset: 0 });
      await until("live", () => states.includes("live"));
      session.send({ type: "error", ref, code: "unknown-topic", message: "gone", topic: "a" });
      await until("refused", () => refusals.length === 1);
      assert.equal(states.at(-1), "refused");
    });

    test("shouldReportAnUnhandledRefusalToTheClient", async () => {
      const { client, session } = await openWithHello();
      client.subscribe("secret", () => undefined);
      const { ref } = await session.next("subscribe");
      session.send({ type: "error", ref, code: "forbidden", message: "no" });
      await until("refused", () => errors.length === 1);
      assert.equal(errors[0]?.code, "forbidden");
    });

    test("shouldSurviveAHandlerThatThrows", async () => {
      const { client, session } = await openWithHello();
      let received = 0;
      client.subscribe("a", () => {
        throw new Error("mine");
      });
      client.subscribe("a", () => received++);
      await session.subscribed(0, { channel: 1 });
      session.binaryMessage(1, 1, "x");
      await until("received", () => received === 1 && errors.length === 1);
      assert.equal(errors[0]?.code, "handler-failed");
      assert.equal(errors[0].topic, "a");
      assert.equal((errors[0].cause as Error).message, "mine");
    });
  });

  describe("gaps", () => {
    test("shouldReportAGapOfTheNode", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const received: unknown[] = [];
      const onGap = (gap: Gap): number => received.push(gap.reason);
      client.subscribe("a", { onMessage: ({ offset }) => received.push(offset), onGap });
      client.on("gap", (gap) => received.push(gap));
      await session.subscribed(0);
      session.message("a", 1, "");
      session.send({ type: "gap", topic: "a", reason: "overload", offset: 8, time: NODE_TIME });
      session.message("a", 9, "");
      session.message("a", 10, "");
      await until("all", () => received.length === 5);
      assert.deepEqual(received, [1, "overload", { topic: "a", reason: "overload" }, 9, 10]);
    });

    test("shouldReportAHoleWithoutAGapOfTheNode", async () => {
      const { client, session } = await openWithHello();
      const gaps: Gap[] = [];
      let received = 0;
      client.on("gap", (gap) => gaps.push(gap));
      client.subscribe("a", () => received++);
      await session.subscribed(0, { channel: 1 });
      session.binaryMessage(1, 1, "");
      session.binaryMessage(1, 3, "");
      await until("both", () => received === 2);
      assert.deepEqual(gaps, [{ topic: "a", reason: "missing" }]);
    });

    test("shouldReportStaleAndLive", async () => {
      const { client, session } = await openWithHello({}, { broker: "down" });
      const reported: string[] = [];
      client.on("stale", () => reported.push("stale"));
      client.on("live", () => reported.push("live"));
      client.on("state", ({ status }) => reported.push(`state ${status}`));
      assert.equal(client.state.status, "stale");
      session.send({ type: "stale" });
      session.send({ type: "live" });
      session.send({ type: "stale" });
      await until("all", () => reported.length === 5);
      assert.deepEqual(reported, ["stale", "state open", "live", "state stale", "stale"]);
    });
  });

  describe("publishing", () => {
    test("shouldResolveWhenTheNodeConfirms", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const published = client.publish("chat.1", "hello", { properties: { priority: 3 } });
      const { ref, ...frame } = await session.next("publish");
      const properties = { priority: 3 };
      assert.deepEqual(frame, { type: "publish", topic: "chat.1", payload: "hello", properties });
      session.send({ type: "published", ref });
      await published;
    });

    test("shouldPublishInBinary", async () => {
      const { client, session } = await openWithHello();
      const published = client.publish("chat.1", Uint8Array.of(0, 255));
      await until("a binary frame", () => session.binary.length === 1);
      const frame = session.binary[0];
      assert.ok(frame);
      assert.equal(frame[0], 0x12);
      session.send({ type: "published", ref: frame.readUInt32BE(1) });
      await published;
    });

    test("shouldRejectWithTheErrorOfTheNode", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const published = client.publish("chat.1", "hello");
      const { ref } = await session.next("publish");
      session.send({ type: "error", ref, code: "broker-unavailable", message: "away" });
      await assert.rejects(published, isSluiceError("broker-unavailable"));
      assert.deepEqual(errors, []);
    });

    test("shouldSendQueuedPublishesInOrder", async () => {
      const client = open({ encoding: "json" });
      const all = [client.publish("a", "1"), client.publish("a", "2")];
      const session = await node.session();
      session.hello();
      for (const payload of ["1", "2"]) {
        const frame = await session.next("publish");
        assert.equal(frame["payload"], payload);
        session.send({ type: "published", ref: frame.ref });
      }
      await Promise.all(all);
    });

    test("shouldRejectWhenTheQueueIsFull", async () => {
      const client = open({ maxPublishes: 2, publishTimeout: 50 });
      const all = [client.publish("a", "1"), client.publish("a", "2"), client.publish("a", "3")];
      const codes = (await Promise.allSettled(all)).map((result) =>
        result.status === "rejected" ? (result.reason as SluiceError).code : "sent",
      );
      assert.deepEqual(codes, ["publish-timeout", "publish-timeout", "publish-queue-full"]);
    });

    test("shouldRejectWhatWasSentWhenTheConnectionEnds", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const published = client.publish("a", "1");
      await session.next("publish");
      session.cut();
      await assert.rejects(published, isSluiceError("connection-lost"));
    });

    test("shouldNotSendAPublishThatExceedsTheLimit", async () => {
      const { client, session } = await openWithHello();
      const large = client.publish("a", "x".repeat(65_536));
      await assert.rejects(large, isSluiceError("too-large"));
      assert.equal(session.binary.length, 0);
      void client.publish("a", "x".repeat(65_536 - 8)).catch(() => undefined);
      await until("a binary frame", () => session.binary[0]?.length === 65_536);
    });

    test("shouldRejectOnceClosed", async () => {
      const client = open();
      const waiting = client.publish("a", "1");
      client.close();
      await assert.rejects(waiting, isSluiceError("closed"));
      await assert.rejects(client.publish("a", "2"), isSluiceError("closed"));
    });
  });

  describe("reconnecting", () => {
    test("shouldReportAGapIfTheNodeCannotRecover", async () => {
      const { client, session } = await openWithHello();
      const received: unknown[] = [];
      const onGap = ({ reason }: Gap): number => received.push(reason);
      const onState = ({ status }: SubscriptionState): number => received.push(status);
      client.subscribe("a", { onMessage: ({ payload }) => received.push(payload), onGap, onState });
      await session.subscribed(5, { channel: 1 });
      session.binaryMessage(1, 6, "before");
      await until("a message", () => received.includes("before"));
      session.cut();
      const again = await node.session();
      again.hello();
      await again.subscribed(2, { channel: 4, replay: 1, recovered: false });
      again.binaryMessage(4, 2, "state of now");
      again.binaryMessage(4, 3, "after");
      await until("another message", () => received.includes("after"));
      const back = ["pending", "gap", "not-recovered", "live", "state of now", "after"];
      const expected = ["live", "before", ...back];
      assert.deepEqual(received, expected);
    });

    test("shouldReconnectToARestartedNode", async () => {
      const { client } = await openWithHello();
      const { port } = node;
      await node.stop();
      const counted = (): number =>
        client.state.status === "connecting" ? client.state.failures : 0;
      await until("a few failures", () => counted() >= 3);
      assert.ok(client.state.status === "connecting" && client.state.lastEnd?.code === 1006);
      node = await ScriptedNode.start(port);
      (await node.session()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldReconnectAtOnceOnRetryNow", async () => {
      const { client, session } = await openWithHello({
        minBackoff: 3_600_000,
        maxBackoff: 3_600_000,
        random: () => 0.5,
      });
      session.close(1001);
      await until("lost", () => client.state.status === "connecting");
      assert.ok(client.state.status === "connecting" && client.state.retryAt !== undefined);
      assert.ok(client.state.retryAt > Date.now() + 1_000_000);
      client.retryNow();
      (await node.session()).hello();
      await until("open", () => client.state.status === "open");
    });

    for (const code of [
      1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 4000, 4001, 4100, 4202, 4206, 4999,
    ]) {
      test(`shouldReconnectAfter ${String(code)}`, async () => {
        const { client, session } = await openWithHello();
        session.close(code);
        (await node.session()).hello();
        await until("open", () => client.state.status === "open");
      });
    }

    for (const code of [4200, 4201, 4203, 4204, 4205]) {
      test(`shouldClosePermanentlyAfter ${String(code)}`, async () => {
        const { client, session } = await openWithHello();
        const lost = client.publish("a", "1");
        session.close(code, "because");
        await assert.rejects(lost, isSluiceError("connection-lost"));
        await until("closed", () => client.state.status === "closed");
        assert.ok(client.state.status === "closed" && client.state.error?.code === "refused");
        assert.ok(client.state.error.message.includes(`${String(code)}: because`));
        assert.equal(errors.length, 1);
        assert.equal(node.sessions.length, 1);
        assert.throws(() => client.subscribe("a", () => undefined), isSluiceError("closed"));
      });
    }

    test("shouldLeaveADrainingNode", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const states: string[] = [];
      client.on("state", ({ status }) => states.push(status));
      const before = client.publish("a", "before");
      const { ref } = await session.next("publish");
      session.send({ type: "draining", deadline: Date.now() + 10_000 });
      await until("draining", () => client.state.status === "draining");
      const next = await node.session();
      next.hello();
      session.send({ type: "published", ref });
      await before;
      await until("moved", () => client.state.status === "open");
      const after = client.publish("a", "after");
      const frame = await next.next("publish");
      assert.equal(frame["payload"], "after");
      next.send({ type: "published", ref: frame.ref });
      await after;
      await until("the old connection is closed", () => session.closeCode === 1000);
      assert.deepEqual(states, ["draining", "open"]);
    });

    test("shouldTerminateAnIdleConnection", async () => {
      const { client, session } = await openWithHello({}, { pingInterval: 40 });
      await session.next("ping");
      session.freeze();
      await until("lost", () => client.state.status === "connecting");
      assert.ok(client.state.status === "connecting");
      assert.ok(client.state.lastEnd?.reason.includes("heartbeat timeout"));
      (await node.session()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldKeepAnIdleConnectionThatAnswersPings", async () => {
      const { client, session } = await openWithHello({}, { pingInterval: 1000 });
      for (let round = 0; round < 3; round++) {
        const { ref } = await session.next("ping");
        session.send({ type: "pong", ref, time: Date.now() });
      }
      assert.equal(client.state.status, "open");
      assert.equal(node.sessions.length, 1);
    });
  });

  describe("resuming", () => {
    const EPOCH = "1f0a6c2b9d3e4f58";

    function id(number: number): string {
      return number.toString(16).padStart(16, "0");
    }

    test("shouldResumeAtAnotherNodeWithoutGapOrDuplicate", async () => {
      const { client, session } = await openWithHello();
      const received: unknown[] = [];
      const onMessage = ({ payload, replayed, offset }: Message): number =>
        received.push([payload, replayed, offset]);
      client.subscribe("a", { onMessage, onGap: (gap) => received.push(gap) });
      await session.subscribed(5, { channel: 1 });
      session.binaryMessage(1, 6, "six");
      session.binaryMessage(1, 7, "seven");
      await until("two messages", () => received.length === 2);
      session.cut();
      const again = await node.session();
      again.hello();
      const members = { epoch: id(9), channel: 4, recovered: true, replay: 3, time: undefined };
      const { from } = await again.subscribed(2 ** 32, members);
      again.binaryMessage(4, 2 ** 32 - 2, "seven", 7);
      again.binaryMessage(4, 2 ** 32 - 1, "eight", 8);
      again.binaryMessage(4, 2 ** 32, "nine", 9);
      again.binaryMessage(4, 2 ** 32 + 1, "eight", 8);
      again.binaryMessage(4, 2 ** 32 + 2, "ten", 10);
      await until("five messages", () => received.length === 5);
      assert.deepEqual(from, { epoch: EPOCH, offset: 7, ids: [id(6), id(7)], since: NODE_TIME });
      assert.deepEqual(received, [
        ["six", false, 6],
        ["seven", false, 7],
        ["eight", true, 2 ** 32 - 1],
        ["nine", true, 2 ** 32],
        ["ten", false, 2 ** 32 + 2],
      ]);
    });

    test("shouldRequestTheSnapshotAgainAfterAnInterruption", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const received: unknown[] = [];
      const onMessage = ({ payload }: Message): number => received.push(payload);
      const onGap = ({ reason }: Gap): number => received.push(reason);
      const subscription = client.subscribe("a", { onMessage, onGap }, { from: "snapshot" });
      await session.subscribed(9, { replay: 2 });
      session.message("a", 3, "three");
      await until("a message", () => received.length === 1);
      assert.equal(subscription.position, undefined);
      session.cut();
      const again = await node.session();
      again.hello();
      const { from } = await again.subscribed(9, { replay: 2 });
      again.message("a", 3, "three");
      again.message("a", 8, "eight");
      await until("the whole snapshot", () => received.includes("eight"));
      assert.equal(from, "snapshot");
      assert.deepEqual(received, ["three", "snapshot-cut", "three", "eight"]);
    });

    test("shouldForwardTheOptionsOfTheApplication", async () => {
      const { client, session } = await openWithHello();
      client.subscribe("a", () => undefined, { from: { last: 20 }, rate: 0.5 });
      client.subscribe("b", () => undefined, { from: "now" });
      const first = { type: "subscribe", topic: "a", from: { last: 20 }, delivery: "latest" };
      const { ref, ...asked } = await session.next("subscribe");
      assert.deepEqual(asked, { ...first, rate: 0.5 });
      const second = await session.next("subscribe");
      assert.deepEqual(second, { type: "subscribe", topic: "b", ref: second.ref });
      session.cut();
      const { ref: refAgain, ...again } = await (await node.session()).next("subscribe");
      assert.deepEqual(again, asked);
      assert.ok(ref > 0 && refAgain > 0);
    });

    test("shouldReturnAPositionFromWhichAnotherClientResumes", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const kept: (string | undefined)[] = [];
      const subscription = client.subscribe("a", () => {
        kept.push(JSON.stringify(subscription.position));
      });
      assert.equal(subscription.position, undefined);
      await session.subscribed(41);
      session.message("a", 42, "x");
      session.send({ type: "caught-up", time: NODE_TIME + 1_000 });
      session.message("a", 43, "y");
      await until("two messages", () => kept.length === 2);
      const times = { since: NODE_TIME, time: NODE_TIME + 1_000 };
      const expected = { epoch: EPOCH, offset: 43, ids: [id(42), id(43)], ...times };
      assert.deepEqual(subscription.position, expected);
      assert.equal((JSON.parse(kept[0] ?? "") as Position).offset, 42);
      subscription.unsubscribe();
      client.close();
      const later = open({ encoding: "json" });
      const payloads: unknown[] = [];
      const from = JSON.parse(kept[1] ?? "") as Position;
      later.subscribe("a", ({ payload }) => payloads.push(payload), { from });
      const second = await node.session();
      second.hello();
      const subscribe = await second.subscribed(44, { recovered: true, replay: 2 });
      second.message("a", 43, "y");
      second.message("a", 44, "z");
      await until("a message", () => payloads.length > 0);
      assert.deepEqual(subscribe["from"], expected);
      assert.deepEqual(payloads, ["z"]);
    });

    test("shouldResumeAtItsPositionAfterARefusal", async () => {
      const { client, session } = await openWithHello({ encoding: "json" });
      const refused: SluiceError[] = [];
      const payloads: unknown[] = [];
      const onMessage = ({ payload }: Message): number => payloads.push(payload);
      client.subscribe("a", { onMessage, onError: (error) => refused.push(error) });
      const { ref } = await session.subscribed(41);
      session.message("a", 42, "x");
      session.send({ type: "error", ref, code: "broker-unavailable", message: "", topic: "a" });
      await until("refused", () => refused.length === 1);
      session.send({ type: "caught-up", time: NODE_TIME + 1_000 });
      session.send({ type: "stale" });
      await until("stale", () => client.state.status === "stale");
      client.subscribe("a", () => undefined);
      const { from } = await session.subscribed(43, { recovered: true, replay: 1 });
      session.message("a", 43, "y");
      await until("two messages", () => payloads.length === 2);
      assert.deepEqual(from, { epoch: EPOCH, offset: 42, ids: [id(42)], since: NODE_TIME });
    });

    test("shouldShareASubscriptionOnlyWithTheSameOptions", async () => {
      const { client, session } = await openWithHello();
      const options = { from: "snapshot", delivery: "latest" } as const;
      client.subscribe("a", () => undefined, options);
      client.subscribe("a", () => undefined);
      client.subscribe("a", () => undefined, { from: "now", delivery: "latest" });
      client.subscribe("b", () => undefined);
      client.subscribe("b", () => undefined, { delivery: "all" });
      client.subscribe("a", () => undefined, options);
      await session.subscribed();
      const separate = [await session.subscribed(), await session.subscribed()];
      client.subscribe("a", () => undefined, { rate: 2 });
      separate.push(await session.subscribed());
      assert.deepEqual(
        separate.map(({ topic, tagged, delivery, rate }) => [topic, tagged, delivery, rate]),
        [
          ["a", true, undefined, undefined],
          ["b", undefined, undefined, undefined],
          ["a", true, "latest", 2],
        ],
      );
    });
  });

  describe("invalid answers", () => {
    test("shouldIgnoreUnknownFramesAndReportInvalidOnes", async () => {
      const { client, session } = await openWithHello();
      const gaps: string[] = [];
      client.subscribe("a", {
        onMessage: () => undefined,
        onGap: ({ reason }) => gaps.push(reason),
      });
      client.subscribe("unanswered", () => undefined);
      await session.subscribed();
      session.send({ type: "confetti" });
      session.sendRaw(Buffer.of(0x0f, 1, 2));
      session.sendRaw("{");
      session.sendRaw(Buffer.of(0x01, 0, 0));
      session.binaryMessage(99, 1, "nobody asked");
      session.send({ type: "published", ref: 4_711 });
      session.send({ type: "error", code: "internal", message: "oops" });
      await until("the last error", () => errors.at(-1)?.code === "internal");
      // The last one is no frame of a message.
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["bad-answer", "bad-answer", "bad-answer", "internal"],
      );
      // Each of the three may have been a message; the next offset would reveal that.
      assert.deepEqual(gaps, []);
      assert.equal(client.state.status, "open");
    });

    test("shouldSurviveAnErrorListenerThatThrows", async (t) => {
      const written = t.mock.method(console, "error", () => undefined);
      const { client, session } = await openWithHello();
      client.on("error", () => {
        throw new Error("mine");
      });
      session.sendRaw("{");
      await until("written", () => written.mock.callCount() === 1);
      assert.equal(client.state.status, "open");
    });
  });

  describe("closing", () => {
    test("shouldCloseOnlyOnce", async () => {
      const { client, session } = await openWithHello();
      client.close();
      client.close();
      assert.deepEqual(client.state, { status: "closed", error: undefined });
      await until("closed", () => session.closeCode === 1000);
      assert.throws(() => client.subscribe("a", () => undefined), isSluiceError("closed"));
      assert.deepEqual(errors, []);
    });

    test("shouldStayClosedWhenAHandlerClosesAsTheConnectionIsLost", async () => {
      const { client, session } = await openWithHello();
      const onState = ({ status }: SubscriptionState): void => {
        if (status === "pending") client.close();
      };
      client.subscribe("a", { onMessage: () => undefined, onState });
      await session.subscribed(0, { channel: 1 });
      session.cut();
      await until("closed", () => client.state.status === "closed");
      assert.equal(node.sessions.length, 1);
    });

    test("shouldStayClosedWhenClosedWhileConnecting", () => {
      const client = open();
      client.close();
      assert.equal(client.state.status, "closed");
    });
  });
});

describe("arguments", () => {
  class NoSocket {
    binaryType = "";
    send(): void {
      // never open
    }
    close(): void {
      // never open
    }
    addEventListener(): void {
      // never used
    }
  }

  const url = "ws://127.0.0.1:9/ws";
  const wrong: readonly (readonly [string, ConnectOptions, string?])[] = [
    ["not a URL", {}, "localhost"],
    ["another scheme", {}, "ftp://example.com/ws"],
    ["a relative URL without a page", {}, "/ws"],
    ["a host without a scheme", {}, "example.com/ws"],
    ["a fragment", {}, "ws://example.com/ws#here"],
    ["an unknown encoding", { encoding: "xml" as "json" }],
    ["a negative wait", { minBackoff: -1 }],
    ["a maximum under the minimum", { minBackoff: 100, maxBackoff: 99 }],
    ["a wait that is no number", { maxBackoff: Number.NaN }],
    ["a time that no timer takes", { connectTimeout: 2 ** 31 }],
    ["no room for publishes", { maxPublishes: 0 }],
    ["a token that is none", { token: 7 as unknown as string }],
    ["a WebSocket that is no class", { WebSocket: {} as unknown as typeof NoSocket }],
  ];

  for (const [what, options, other] of wrong) {
    test(`shouldRefuse ${what}`, () => {
      assert.throws(
        () => connect(other ?? url, { WebSocket: NoSocket, ...options }),
        isSluiceError("invalid-argument"),
      );
    });
  }

  test("shouldReportExpectedAndActualValue", () => {
    assert.throws(() => connect("nonsense", { WebSocket: NoSocket }), {
      message:
        'url must be a URL such as "wss://example.com/ws" ("/ws" requires a page), not "nonsense"',
    });
  });

  test("shouldNameAnUnknownTransport", () => {
    const transports = ["http", "smoke"] as unknown as ["http"];
    assert.throws(() => connect(url, { WebSocket: NoSocket, transports }), {
      message: 'transports must be a list of "websocket" and "http", not "http,smoke"',
    });
  });

  test("shouldRejectInvalidArgumentsOfCalls", () => {
    const client = connect(url, { WebSocket: NoSocket });
    const calls = [
      () => client.subscribe("a..b", () => undefined),
      () => client.subscribe("a", 7 as never),
      () => client.subscribe("a", null as never),
      () => client.subscribe("a", { onGap: () => undefined } as never),
      () => client.subscribe("a", { onMessage: () => undefined, onGap: 7 as never }),
      () => client.subscribe("a", () => undefined, null as never),
      () => client.on("sate" as "state", () => undefined),
      () => client.on("state", undefined as never),
    ];
    for (const call of calls) {
      assert.throws(() => void call(), isSluiceError("invalid-argument"), String(call));
    }
    client.close();
  });

  test("shouldRejectInvalidArgumentsOfPublish", async () => {
    const client = connect(url, { WebSocket: NoSocket });
    const queue = client.queue("orders");
    const calls = [
      () => client.publish("a.>", "x"),
      () => client.publish("a", () => undefined),
      () => client.publish("a", undefined as never),
      () => client.publish("a", "x", 7 as never),
      () => client.publish("a", "x", { region: "EU" } as never),
      () => client.publish("a", "x", { properties: { JMSPriority: 7 } }),
      () => client.publish("a", "x", { properties: { "a-b": 7 } }),
      () => client.publish("a", "x", { properties: { a: Number.NaN } }),
      () => client.publish("a", "x", { properties: { a: {} as never } }),
      () => client.publish("a", "x", { types: { a: "number" as "int" } }),
      () => client.publish("a", "x", { id: "" }),
      () => client.publish("a", "x", { id: "x".repeat(129) }),
      () => client.publish("a", "x", { priority: 10 }),
      () => client.publish("a", "x", { ttl: 0 }),
      () => client.publish("a", "x", { delay: 1.5 }),
      () => client.publish("a", "x", { persistent: "no" as never }),
      () => client.publish("a", "x", { group: "x".repeat(256) }),
      () => client.publish("a", "x", { replyTo: {} as never }),
      () => client.publish("a", "x", { replyTo: { topic: "a", queue: "b" } as never }),
      () => client.publish("a", "x", { body: "map" }),
      () => client.publish("a", [1], { body: "map" }),
      () => client.publish("a", { a: 1 }, { body: "stream" }),
      () => client.publish("a", { a: { b: 1 } }, { body: "map" }),
      () => client.publish("a", [Infinity], { body: "stream" }),
      () => client.queue("orders.*").publish("x"),
      () => queue.consume(7 as never),
      () => queue.consume(() => undefined, { credit: -1 }),
      () => queue.consume(() => undefined, { ack: "never" as "auto" }),
      () => queue.consume(() => undefined, { where: 7 as never }),
      () => queue.consume(() => undefined, { payload: "xml" as "text" }),
      () => queue.browse({ max: 0 }),
      () => client.queue("").browse(),
    ];
    for (const call of calls) {
      await assert.rejects(call(), isSluiceError("invalid-argument"), String(call));
    }
    client.close();
  });

  const position = { epoch: "e", offset: 1, ids: ["00000000000000ff"], since: 1, time: 1 };
  const wrongFroms: readonly (readonly [unknown, string])[] = [
    ["then", '"then"'],
    [null, "null"],
    [7, "7"],
    [[], "an array"],
    [{}, "an object"],
    [{ last: 0 }, "an object"],
    [{ last: 1_000_001 }, "an object"],
    [{ last: 1.5 }, "an object"],
    [{ ...position, epoch: 7 }, "an object"],
    [{ ...position, offset: -1 }, "an object"],
    [{ ...position, since: -1 }, "an object"],
    [{ ...position, time: "1" }, "an object"],
    [{ ...position, ids: {} }, "an object"],
    [{ ...position, ids: [] }, "an object"],
    [{ ...position, ids: Array.from({ length: 1_025 }, () => position.ids[0]) }, "an object"],
    [{ ...position, ids: ["ff"] }, "an object"],
  ];
  const fromExpected =
    'from must be "now", "snapshot", { last: 1 to 1000000 } or a position of a subscription';
  const wrongOptions: readonly (readonly [unknown, string])[] = [
    ...wrongFroms.map(([from, shown]) => [{ from }, `${fromExpected}, not ${shown}`] as const),
    [{ delivery: "some" }, 'delivery must be "all" or "latest", not "some"'],
    [{ delivery: "all", rate: 1 }, 'delivery must be "latest" with a rate, not "all"'],
    [{ rate: 0 }, "rate must be a number from 0.001 to 1000, not 0"],
    [{ rate: 1_001 }, "rate must be a number from 0.001 to 1000, not 1001"],
    [{ rate: Number.NaN }, "rate must be a number from 0.001 to 1000, not NaN"],
    [{ rate: "2" }, 'rate must be a number from 0.001 to 1000, not "2"'],
    [7, "options must be an object, not 7"],
  ];

  for (const [options, message] of wrongOptions) {
    test(`should reject ${JSON.stringify(options)}: ${message}`, () => {
      const client = connect(url, { WebSocket: NoSocket });
      const subscribe = (): unknown =>
        client.subscribe("a", () => undefined, options as SubscribeOptions);
      assert.throws(subscribe, { code: "invalid-argument", message });
      client.close();
    });
  }

  test("shouldClosePermanentlyIfTheWebSocketCannotBeCreated", (t) => {
    const written = t.mock.method(console, "error", () => undefined);
    class Insecure extends NoSocket {
      constructor() {
        super();
        throw new Error("insecure");
      }
    }
    const client = connect(url, { WebSocket: Insecure });
    assert.ok(client.state.status === "closed" && client.state.error?.code === "refused");
    assert.equal(written.mock.callCount(), 1);
  });
});
