import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Delivery, RequestOptions, RequestResult, SluiceError } from "../src/index.js";
import { answerConsume, CONTENT, deliver, FEATURES, openAt, type Scene } from "./full-duplex.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { isSluiceError, LeapingClock, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

describe("requests", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  describe("request", () => {
    test("shouldSendAllOptionsAndReturnTheReply", async () => {
      const { client, session } = await openAt(nodes);
      const options = { priority: 9, persistent: false, messageType: "quote" };
      const value = { pair: "EURUSD" };
      const replying = client.queue("quotes").request(value, {
        ...options,
        timeout: 2_000,
        reply: "json",
      });
      value.pair = "changed";
      const { ref, ...frame } = await session.next("request");
      assert.deepEqual(frame, {
        type: "request",
        queue: "quotes",
        payload: '{"pair":"EURUSD"}',
        ...options,
        timeout: 2_000,
      });
      const properties = { region: "EU" };
      session.send({ type: "reply", ref, ...CONTENT, payload: "[1]", properties });
      const { payload, ...reply } = await replying;
      const first: unknown = (payload as unknown[])[0];
      assert.equal(first, 1);
      const { id, time } = CONTENT;
      assert.deepEqual(reply, { id, time, properties, messageType: undefined, kind: "json" });
    });

    test("shouldReturnEachReplyToItsRequest", async () => {
      const { client, session } = await openAt(nodes);
      const all = ["a", "b", "c"].map((topic) => client.request(topic, Uint8Array.of(1)));
      const refs: number[] = [];
      for (const topic of ["a", "b", "c"]) {
        const { ref, ...frame } = await session.next("request");
        assert.deepEqual(frame, { type: "request", topic, payload: "AQ==", encoding: "base64" });
        refs.push(ref);
      }
      for (const ref of refs.reverse()) {
        session.send({ type: "reply", ref, ...CONTENT, payload: String(ref), messageType: "m" });
      }
      const replies = await Promise.all(all);
      assert.deepEqual(
        replies.map(({ payload }) => payload),
        refs.reverse().map(String),
      );
      assert.equal(replies[0]?.messageType, "m");
    });

    test("shouldKeepTheOrderWithPublishes", async () => {
      const { client, session } = await openAt(nodes);
      await Promise.all([
        client.request("a", "1").catch(() => undefined),
        session.next("request").then(({ ref }) => {
          session.send({ type: "error", ref, code: "forbidden", message: "no" });
        }),
      ]);
      const order = [
        client.publish("b", "2"),
        client.request("c", "3"),
        client.publish("d", "4"),
      ] as const;
      await until("all are sent", () => session.count("publish") === 2);
      const sent = session.frames.filter(({ type }) => type !== "connect" && type !== "ping");
      assert.deepEqual(
        sent.map(({ topic }) => topic),
        ["a", "b", "c", "d"],
      );
      for (const settled of order) settled.catch(() => undefined);
    });

    for (const code of ["timeout", "no-reply", "forbidden", "too-many-requests"]) {
      test(`shouldRejectWith ${code}`, async () => {
        const { client, session } = await openAt(nodes);
        const replying = client.request("quotes", "x");
        const { ref } = await session.next("request");
        session.send({ type: "error", ref, code, message: "no", topic: "quotes" });
        await assert.rejects(replying, isSluiceError(code));
        assert.deepEqual(nodes.errors, []);
      });
    }

    test("shouldRejectAReplyThatCannotBeConvertedOrParsed", async () => {
      const { client, session } = await openAt(nodes);
      for (const [members, code] of [
        [{}, "bad-payload"],
        [{ id: "7" }, "bad-answer"],
      ] as const) {
        const replying = client.request("quotes", "x", { reply: "json" });
        const { ref } = await session.next("request");
        session.send({ type: "reply", ref, ...CONTENT, ...members });
        await assert.rejects(replying, isSluiceError(code));
      }
    });

    test("shouldWaitForAConnectionAndSendTheRestOfTheTime", async () => {
      const clock = new LeapingClock(1_000);
      const client = nodes.open({ clock });
      const replying = client.request("quotes", "x");
      const session = await nodes.old.session();
      await until("the request waits", () => clock.hasTimer(5_000));
      clock.leap(2_000);
      session.hello({ features: FEATURES });
      const { ref, timeout } = await session.next("request");
      assert.ok(Number(timeout) > 2_000 && Number(timeout) <= 3_000, String(timeout));
      session.send({ type: "reply", ref, ...CONTENT });
      assert.equal((await replying).payload, "x");
    });

    test("shouldRejectWithoutAConnectionInTime", async () => {
      const clock = new LeapingClock(1_000);
      const client = nodes.open({ clock });
      const replying = client.request("quotes", "x", { timeout: 3_000 });
      await until("the request waits", () => clock.hasTimer(3_000));
      clock.leap(3_000);
      await assert.rejects(replying, (error: SluiceError) => {
        assert.match(error.message, /was not sent/);
        return isSluiceError("timeout")(error);
      });
    });

    test("shouldRejectWithoutAnAnswerSoonAfterTheTime", async () => {
      const clock = new LeapingClock(1_000);
      const { client, session } = await openAt(nodes, FEATURES, { clock });
      const replying = client.request("quotes", "x", { timeout: 3_000 });
      const { ref } = await session.next("request");
      clock.leap(3_000);
      let isRejected = false;
      replying.catch(() => (isRejected = true));
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(isRejected, false);
      clock.leap(1_000);
      await assert.rejects(replying, isSluiceError("timeout"));
      session.send({ type: "reply", ref, ...CONTENT });
      session.send({ type: "stale" });
      await until("the late reply is ignored", () => client.state.status === "stale");
    });

    test("shouldRejectWithTheEndOfTheConnectionAndNeverRepeat", async () => {
      const { client, session } = await openAt(nodes);
      const replying = client.request("quotes", "x");
      await session.next("request");
      session.cut();
      await assert.rejects(replying, isSluiceError("connection-lost"));
      const next = await nodes.old.session();
      next.hello({ features: FEATURES });
      await next.next("ping");
      assert.equal(next.count("request"), 0);
    });

    test("shouldRejectWithTheReasonOfTheSignal", async () => {
      const { client, session } = await openAt(nodes);
      const abort = new AbortController();
      const replying = client.request("quotes", "x", { signal: abort.signal });
      await session.next("request");
      abort.abort(new RangeError("enough"));
      await assert.rejects(replying, { name: "RangeError", message: "enough" });
      const again = client.request("quotes", "x", { signal: abort.signal });
      await assert.rejects(again, { name: "RangeError" });
    });

    test("shouldRejectWithTheEndOfTheClient", async () => {
      const { client, session } = await openAt(nodes);
      const sent = client.request("quotes", "x");
      await session.next("request");
      client.close();
      await assert.rejects(sent, isSluiceError("connection-lost"));
      await assert.rejects(client.request("quotes", "x"), isSluiceError("closed"));
    });

    test("shouldRejectInvalidArguments", async () => {
      const { client } = await openAt(nodes);
      const invalid: [string, object][] = [
        ["a..b", {}],
        ["a", { timeout: 0 }],
        ["a", { timeout: 2 ** 31 }],
        ["a", { reply: "xml" }],
        ["a", { signal: 7 }],
        ["a", { id: "7" }],
        ["a", { ttl: 7 }],
        ["a", { replyTo: { topic: "b" } }],
        ["a", { correlationId: "c" }],
      ];
      for (const [topic, options] of invalid) {
        const request = client.request(topic, "x", options as RequestOptions);
        await assert.rejects(request, isSluiceError("invalid-argument"), JSON.stringify(options));
      }
      const large = client.request("a", "x".repeat(65_536));
      await assert.rejects(large, isSluiceError("too-large"));
    });

    test("shouldStayOnTheOldConnectionDuringAMove", async () => {
      const { client, session } = await openAt(nodes);
      const replying = client.request("quotes", "x");
      const { ref } = await session.next("request");
      nodes.drain(session);
      const next = await nodes.other.session();
      next.hello({ node: "gw-2", features: FEATURES });
      await until("moved", () => nodes.moves.length === 1);
      assert.equal(session.closeCode, undefined);
      session.send({ type: "reply", ref, ...CONTENT });
      assert.equal((await replying).payload, "x");
      await until("the old connection is closed", () => session.closeCode === 1000);
      assert.equal(next.count("request"), 0);
    });

    test("shouldBeUnsupportedOverHttp", async () => {
      const gateway = await ScriptedGateway.start();
      gateway.onStream = (stream) => {
        stream.hello({ features: FEATURES });
      };
      const client = nodes.open({ transports: ["http"] }, gateway.url);
      await until("open", () => client.state.status === "open");
      await assert.rejects(client.request("a", "x"), isSluiceError("unsupported"));
      client.close();
      await gateway.stop();
    });
  });

  describe("serve", () => {
    async function serve(
      scene: Scene,
      handler: (request: Delivery) => RequestResult | Promise<RequestResult>,
    ) {
      const errors: SluiceError[] = [];
      const consumer = await scene.client.serve("quotes", handler, {
        credit: 2,
        onError: (error) => errors.push(error),
      });
      const { ref } = await answerConsume(scene.session);
      return { consumer, errors, ref };
    }

    const REPLY_TO = { replyTo: { queue: "replies" }, correlationId: "c-1" };

    test("shouldAcknowledgeARequestAfterItsReply", async () => {
      const scene = await openAt(nodes);
      const { session } = scene;
      const { ref, errors } = await serve(scene, ({ payload }) => ({ bid: payload }));
      deliver(session, ref, 1, REPLY_TO);
      const respond = await session.next("respond");
      assert.deepEqual(respond, {
        type: "respond",
        ref: respond.ref,
        subscription: ref,
        tag: 1,
        payload: '{"bid":"x"}',
      });
      assert.equal(session.count("ack"), 0);
      session.send({ type: "published", ref: respond.ref });
      assert.equal((await session.next("ack"))["tag"], 1);
      assert.deepEqual(errors, []);
    });

    test("shouldReplyWithOptionsAndNotWithoutAResult", async () => {
      const scene = await openAt(nodes);
      const { session } = scene;
      const options = { body: "map", ttl: 1_000, messageType: "quote" } as const;
      const { ref } = await serve(scene, (request) =>
        request.correlationId === undefined ? undefined : { payload: { bid: 1 }, options },
      );
      deliver(session, ref, 1, REPLY_TO);
      const { ref: number, ...respond } = await session.next("respond");
      const content = { payload: { bid: 1 }, encoding: "json", ttl: 1_000, messageType: "quote" };
      assert.deepEqual(respond, { type: "respond", subscription: ref, tag: 1, ...content });
      session.send({ type: "published", ref: number });
      await session.next("ack");
      deliver(session, ref, 2);
      assert.equal((await session.next("ack"))["tag"], 2);
      assert.equal(session.count("respond"), 1);
    });

    test("shouldReleaseARequestWhoseHandlerFailsOrWhoseReplyIsRefused", async () => {
      const scene = await openAt(nodes);
      const { session } = scene;
      const { ref, errors } = await serve(scene, ({ correlationId }) => {
        if (correlationId === undefined) throw new Error("no id");
        return "reply";
      });
      deliver(session, ref, 1);
      assert.equal((await session.next("release"))["tag"], 1);
      deliver(session, ref, 2, REPLY_TO);
      const respond = await session.next("respond");
      session.send({ type: "error", ref: respond.ref, code: "publish-failed", message: "full" });
      assert.equal((await session.next("release"))["tag"], 2);
      assert.deepEqual(
        errors.map(({ code, cause }) => [code, (cause as Error).message]),
        [
          ["handler-failed", "no id"],
          ["handler-failed", "full"],
        ],
      );
    });

    test("shouldRepeatAReplyThatTheNodeCannotAcceptAtTheMoment", async () => {
      const scene = await openAt(nodes);
      const { session } = scene;
      let calls = 0;
      const { ref, errors } = await serve(scene, () => String(++calls));
      deliver(session, ref, 1, REPLY_TO);
      for (const code of ["rate-limited", "broker-unavailable"]) {
        const respond = await session.next("respond");
        session.send({ type: "error", ref: respond.ref, code, message: "later" });
      }
      const respond = await session.next("respond");
      assert.equal(respond["payload"], "1");
      session.send({ type: "published", ref: respond.ref });
      await session.next("ack");
      assert.deepEqual(errors, []);
    });

    test("shouldAcknowledgeARequestWithoutARecipientAndReportIt", async () => {
      const scene = await openAt(nodes);
      const { session } = scene;
      const { ref, errors } = await serve(scene, () => "reply");
      deliver(session, ref, 1);
      const respond = await session.next("respond");
      session.send({ type: "error", ref: respond.ref, code: "no-recipient", message: "none" });
      await session.next("ack");
      assert.deepEqual(
        errors.map(({ code, queue }) => [code, queue]),
        [["no-recipient", "quotes"]],
      );
    });

    test("shouldRespondToAMessageOfAConsumer", async () => {
      const { client, session } = await openAt(nodes);
      const received: Delivery[] = [];
      const consumer = await client
        .queue("quotes")
        .consume((delivery) => received.push(delivery), { ack: "manual" });
      const { ref } = await answerConsume(session);
      deliver(session, ref, 1, REPLY_TO);
      await until("delivered", () => received.length === 1);
      const [delivery] = received;
      const responding = delivery?.respond("reply");
      const respond = await session.next("respond");
      session.send({ type: "published", ref: respond.ref });
      await responding;
      const invalid = delivery?.respond("reply", { id: "7" } as object);
      await assert.rejects(invalid ?? assert.fail(), isSluiceError("invalid-argument"));
      session.send({ type: "released", ref, tag: 1, reason: "timeout" });
      await until("taken back", () => delivery?.signal.aborted === true);
      await assert.rejects(delivery?.respond("x") ?? assert.fail(), isSluiceError("not-pending"));
      assert.equal(consumer.state.status, "consuming");
    });

    test("shouldRejectInvalidArguments", async () => {
      const { client } = await openAt(nodes);
      const queue = client.queue("quotes");
      await assert.rejects(queue.serve(7 as never), isSluiceError("invalid-argument"));
      const withAck = queue.serve(() => "x", { ack: "manual" } as object);
      await assert.rejects(withAck, isSluiceError("invalid-argument"));
      await assert.rejects(
        client.serve("a..b", () => "x"),
        isSluiceError("invalid-argument"),
      );
    });
  });
});
