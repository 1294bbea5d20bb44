import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { WebSocket } from "ws";
import { z } from "zod";
import {
  connect,
  type Client,
  type Delivery,
  type Gap,
  type Message,
  type SchemaMap,
  type SluiceError,
  type StandardSchema,
  type TopicsOf,
  type TypedClient,
} from "../src/index.js";
import { MAX_WAITING } from "../src/engine/received.js";
import { ruleOf } from "../src/engine/schema.js";
import { answerConsume, deliver, FEATURES } from "./full-duplex.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

const STOCK = z.object({ price: z.number() });
const SCHEMAS = {
  zod: STOCK,
  valibot: v.object({ price: v.number() }),
  arktype: type({ price: "number" }),
};

/** Schema whose validations end when the test calls `finish`. */
function pendingSchema(): StandardSchema<string> & { finish: (() => void)[] } {
  const finish: (() => void)[] = [];
  const validate = (value: unknown) =>
    new Promise<{ value: string }>((resolve) => {
      finish.push(() => {
        resolve({ value: `checked ${String(value)}` });
      });
    });
  return { "~standard": { version: 1, vendor: "test", validate }, finish };
}

/** Schema that fails. */
const BROKEN: StandardSchema<string> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: () => {
      throw new Error("broken");
    },
  },
};

describe("schemas", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let client: Client;
  let session: ScriptedSession;
  let errors: SluiceError[];

  beforeEach(async () => {
    node = await ScriptedNode.start();
    errors = [];
  });

  afterEach(async () => {
    client.close();
    await node.stop();
  });

  async function open<const Schemas extends SchemaMap>(
    schemas: Schemas,
  ): Promise<TypedClient<TopicsOf<Schemas>>> {
    const opened = connect(node.url, {
      WebSocket,
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      schemas,
    });
    client = opened;
    client.on("error", (error) => errors.push(error));
    session = await node.session();
    session.hello({ features: FEATURES });
    await until("open", () => client.state.status === "open");
    return opened;
  }

  describe("of subscriptions", () => {
    for (const [name, schema] of Object.entries(SCHEMAS) as [string, StandardSchema<object>][]) {
      test(`shouldDeliverWhatASchemaAccepts ${name}`, async () => {
        await open({});
        const received: unknown[] = [];
        client.subscribe("a", ({ payload }) => received.push(payload), { schema });
        await session.subscribed();
        session.message("a", 1, '{"price":1}');
        session.message("a", 2, '{"price":"2"}');
        session.message("a", 3, '{"price":3}');
        await until("the last one", () => received.length === 2);
        assert.deepEqual(received, [{ price: 1 }, { price: 3 }]);
        assert.deepEqual(
          errors.map(({ code, topic }) => [code, topic]),
          [["invalid-payload", "a"]],
        );
        assert.match(errors[0]?.message ?? "", /price/);
      });
    }

    test("shouldHaveThePositionOfTheMessageBeingDelivered", async () => {
      await open({});
      const schema = pendingSchema();
      const offsets: unknown[] = [];
      const subscription = client.subscribe(
        "a",
        () => offsets.push(subscription.position?.offset),
        { schema, payload: "text" },
      );
      await session.subscribed();
      session.message("a", 1, "x");
      session.message("a", 2, "y");
      await until("the first validation", () => schema.finish.length === 1);
      const offset = (): number | undefined => subscription.position?.offset;
      assert.equal(offset(), undefined);
      schema.finish[0]?.();
      await until("the second validation", () => schema.finish.length === 2);
      assert.equal(offset(), 1);
      schema.finish[1]?.();
      await until("both", () => offsets.length === 2);
      assert.deepEqual(offsets, [1, 2]);
    });

    test("shouldHaveThePositionOfTheMessageInALoop", async () => {
      await open({});
      const subscription = client.subscribe("a", { payload: "text" });
      const messages = subscription as unknown as AsyncIterable<Message>;
      const offsets: unknown[] = [];
      const loop = (async () => {
        for await (const { offset } of messages) {
          offsets.push([offset, subscription.position?.offset]);
          if (offset === 2) break;
        }
      })();
      await session.subscribed();
      for (const offset of [1, 2, 3]) session.message("a", offset, "x");
      await loop;
      assert.deepEqual(offsets, [
        [1, 1],
        [2, 2],
      ]);
      assert.equal(subscription.position?.offset, 2);
    });

    test("shouldReportInvalidMessagesWithTheirPositionAndCount", async () => {
      await open({});
      const invalid: SluiceError[] = [];
      const onError = (error: SluiceError): unknown => invalid.push(error);
      const received: unknown[] = [];
      const onMessage = ({ payload }: { readonly payload: unknown }): unknown =>
        received.push(payload);
      const subscription = client.subscribe("a", { onMessage, onError }, { schema: STOCK });
      await session.subscribed();
      session.message("a", 1, '{"price":null}');
      session.message("a", 2, '{"price":null,"more":[]}');
      await until("both are reported", () => invalid.length === 2);
      const [, second] = invalid;
      assert.equal(second?.count, 2);
      assert.deepEqual(second.issues?.[0]?.path, ["price"]);
      assert.deepEqual(
        [second.rejected?.topic, second.rejected?.offset, second.rejected?.payload],
        ["a", 2, { price: null, more: [] }],
      );
      assert.equal(subscription.position?.offset, 2);
      assert.deepEqual([received, errors], [[], []]);
    });

    test("shouldReportPayloadsThatAreNoJson", async () => {
      await open({});
      client.subscribe("a", () => undefined, { schema: STOCK });
      await session.subscribed();
      session.message("a", 1, "{");
      await until("reported", () => errors.length === 1);
      assert.equal(errors[0]?.code, "bad-payload");
    });

    test("shouldDeliverTransformedOutput", async () => {
      await open({});
      const schema = z.string().transform((date) => new Date(date));
      const received: Date[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload), { schema, payload: "text" });
      await session.subscribed();
      session.message("a", 1, "2026-01-02");
      await until("delivered", () => received.length === 1);
      assert.equal(received[0]?.getUTCFullYear(), 2026);
    });

    test("shouldKeepTheOrderWithAnAsynchronousSchema", async () => {
      await open({});
      const schema = pendingSchema();
      const seen: unknown[] = [];
      const observer = {
        onMessage: ({ payload }: { readonly payload: string }) => seen.push(payload),
        onGap: ({ reason }: Gap) => seen.push(reason),
      };
      client.subscribe("a", observer, { schema, payload: "text" });
      await session.subscribed();
      session.message("a", 1, "1");
      session.send({ type: "gap", topic: "a", reason: "overload", offset: 1, time: 1 });
      session.message("a", 2, "2");
      await until("the first is being validated", () => schema.finish.length === 1);
      assert.deepEqual(seen, []);
      schema.finish.shift()?.();
      await until("the second is being validated", () => schema.finish.length === 1);
      assert.deepEqual(seen, ["checked 1", "overload"]);
      schema.finish.shift()?.();
      await until("delivered", () => seen.length === 3);
      assert.equal(seen[2], "checked 2");
    });

    test("shouldDeliverNothingAfterTheEnd", async () => {
      await open({});
      const schema = pendingSchema();
      const seen: unknown[] = [];
      const controller = new AbortController();
      const { signal } = controller;
      client.subscribe("a", (message) => seen.push(message), { schema, payload: "text", signal });
      await session.subscribed();
      session.message("a", 1, "1");
      session.message("a", 2, "2");
      await until("the first is being validated", () => schema.finish.length === 1);
      controller.abort();
      schema.finish.shift()?.();
      await session.next("unsubscribe");
      await new Promise(setImmediate);
      assert.deepEqual([seen, schema.finish.length], [[], 0]);
    });

    test("shouldReportAGapIfTooManyMessagesWait", async () => {
      await open({});
      const schema = pendingSchema();
      const seen: unknown[] = [];
      const observer = {
        onMessage: ({ payload }: { readonly payload: string }) => seen.push(payload),
        onGap: ({ reason }: Gap) => seen.push(reason),
      };
      const gaps: string[] = [];
      client.on("gap", ({ reason }) => gaps.push(reason));
      client.subscribe("a", observer, { schema, payload: "text" });
      const count = { messages: 0 };
      client.subscribe("a", () => count.messages++);
      await session.subscribed();
      for (let offset = 1; offset <= MAX_WAITING + 3; offset++) session.message("a", offset, "x");
      await until("all have come", () => count.messages === MAX_WAITING + 3);
      while (schema.finish.length > 0) {
        schema.finish.shift()?.();
        await new Promise(setImmediate);
      }
      assert.deepEqual(seen.slice(-2), ["checked x", "buffer-full"]);
      assert.equal(seen.length, MAX_WAITING + 1);
      assert.deepEqual(gaps, ["buffer-full"]);
      session.message("a", MAX_WAITING + 4, "last");
      await until("the next one is validated", () => schema.finish.length === 1);
      schema.finish.shift()?.();
      await until("delivered", () => seen.at(-1) === "checked last");
    });

    test("shouldReportHandlersThatThrowAndContinue", async () => {
      await open({});
      const seen: number[] = [];
      client.subscribe(
        "a",
        ({ payload }) => {
          seen.push(payload.price);
          throw new Error(`of the handler for ${String(payload.price)}`);
        },
        { schema: STOCK },
      );
      await session.subscribed();
      session.message("a", 1, '{"price":1}');
      session.message("a", 2, '{"price":2}');
      await until("both", () => seen.length === 2);
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["handler-failed", "handler-failed"],
      );
    });

    test("shouldReportASchemaThatThrows", async () => {
      await open({});
      client.subscribe("a", () => undefined, { schema: BROKEN });
      client.subscribe("a", () => undefined, { schema: { parse: 1 } as never });
      await session.subscribed();
      session.message("a", 1, "{}");
      await until("both", () => errors.length === 2);
      assert.match(errors[0]?.message ?? "", /the schema failed: broken/);
      assert.match(errors[1]?.message ?? "", /it is no Standard Schema/);
    });

    test("shouldDeliverRemovalsWithoutValidation", async () => {
      await open({});
      const seen: unknown[] = [];
      client.subscribe("a", ({ removed }) => seen.push(removed), { schema: STOCK });
      await session.subscribed();
      session.message("a", 1, "", { removed: true });
      await until("delivered", () => seen.length === 1);
      assert.deepEqual([seen, errors], [[true], []]);
    });

    test("shouldValidateMessagesOfALoop", async () => {
      await open({});
      const received: number[] = [];
      const loop = (async () => {
        for await (const { payload } of client.messages("a", { schema: STOCK })) {
          received.push(payload.price);
          if (received.length === 2) break;
        }
      })();
      await session.subscribed();
      for (const [index, price] of [1, null, 3].entries()) {
        session.message("a", index + 1, JSON.stringify({ price }));
      }
      await loop;
      assert.deepEqual(received, [1, 3]);
      assert.equal(errors[0]?.code, "invalid-payload");
    });
  });

  describe("of a client", () => {
    test("shouldConvertAndValidateByTopic", async () => {
      const typed = await open({ "stocks.>": STOCK, chat: "text", ">": BROKEN });
      const received: unknown[] = [];
      typed.subscribe("stocks.7", ({ payload }) => received.push(payload));
      await session.subscribed();
      typed.subscribe("chat", ({ payload }) => received.push(payload));
      await session.subscribed();
      session.message("stocks.7", 1, '{"price":1}');
      session.message("stocks.7", 2, '{"price":"1"}');
      session.message("chat", 1, "5");
      await until("both", () => received.length === 2);
      assert.deepEqual(received, [{ price: 1 }, "5"]);
      assert.equal(errors[0]?.code, "invalid-payload");
    });

    test("shouldSelectTheMostSpecificPattern", () => {
      const topics = ["a.b.c", "a.b.>", "a.*.c", "a.>", "*.b.c", "*.*", "*", ">"];
      // Each entry is its own key instead of a kind.
      const map = Object.fromEntries(topics.map((topic) => [topic, topic])) as never as SchemaMap;
      const expected = {
        "a.b.c": "a.b.c",
        "a.b.d": "a.b.>",
        "a.x.c": "a.*.c",
        "a.x.d": "a.>",
        "x.b.c": "*.b.c",
        "x.y": "*.*",
        x: "*",
        "x.y.z": ">",
        ">": ">",
        "a.*": "a.>",
      };
      for (const [topic, key] of Object.entries(expected)) {
        assert.equal(ruleOf(topic, {}, map).payload, key, topic);
      }
      assert.equal(ruleOf("a", {}, { "a.>": "text" }).payload, undefined);
      assert.equal(ruleOf(">", {}, { "*": "text" }).payload, undefined);
    });

    test("shouldPublishOnlyWhatASchemaAccepts", async () => {
      const typed = await open({
        "stocks.>": STOCK,
        chat: { payload: "text", schema: z.string().min(2) },
      });
      const refused = client.publish("stocks.7", { price: "1" });
      await assert.rejects(refused, (error: SluiceError) => {
        assert.deepEqual(error.issues?.[0]?.path, ["price"]);
        assert.equal(error.rejected?.payload, '{"price":"1"}');
        return isSluiceError("invalid-payload")(error);
      });
      await assert.rejects(client.publish("stocks.7", "no JSON"), isSluiceError("invalid-payload"));
      await assert.rejects(client.publish("chat", "a"), isSluiceError("invalid-payload"));
      await assert.rejects(client.request("chat", "a"), isSluiceError("invalid-payload"));
      const sent = [typed.publish("stocks.7", { price: 1 }), client.publish("other", "x")];
      for (const payload of ['{"price":1}', "x"]) {
        const publish = await session.next("publish");
        assert.equal(publish["payload"], payload);
        session.send({ type: "published", ref: publish.ref });
      }
      await Promise.all(sent);
      assert.equal(session.count("publish"), 2);
    });

    test("shouldPublishInTheOrderOfTheCalls", async () => {
      const schema = pendingSchema();
      await open({ slow: { payload: "text", schema } });
      const sent = [client.publish("slow", "1"), client.publish("fast", "2")];
      await until("the first is being validated", () => schema.finish.length === 1);
      assert.equal(session.count("publish"), 0);
      schema.finish.shift()?.();
      for (const payload of ["1", "2"]) {
        const publish = await session.next("publish");
        assert.equal(publish["payload"], payload);
        session.send({ type: "published", ref: publish.ref });
      }
      await Promise.all(sent);
    });
  });

  describe("of consumers", () => {
    async function settle(what: string, tag: number): Promise<void> {
      const frame = await session.next(what);
      assert.equal(frame["tag"], tag);
      const { ref, subscription } = frame as { ref: number; subscription?: unknown };
      session.send({ type: "settled", ref, subscription });
    }

    test("shouldMoveInvalidMessagesToTheDeadLetterQueue", async () => {
      await open({ orders: BROKEN });
      const handled: number[] = [];
      const consumer = await client
        .queue("orders")
        .consume(({ payload }) => handled.push(payload.price), { schema: STOCK, credit: 4 });
      const { ref } = await answerConsume(session);
      deliver(session, ref, 1, { payload: '{"price":"1"}' });
      await settle("reject", 1);
      deliver(session, ref, 2, { payload: "{" });
      await settle("reject", 2);
      deliver(session, ref, 3, { payload: '{"price":3}' });
      await settle("ack", 3);
      assert.deepEqual(handled, [3]);
      assert.deepEqual(
        errors.map(({ code, queue, count }) => [code, queue, count]),
        [
          ["invalid-payload", "orders", 1],
          ["bad-payload", "orders", undefined],
        ],
      );
      assert.equal(consumer.state.status, "consuming");
    });

    test("shouldReleaseAMessageIfTheSchemaFails", async () => {
      await open({});
      await client.queue("orders").consume(() => undefined, { schema: BROKEN });
      const { ref } = await answerConsume(session);
      deliver(session, ref, 1, { payload: "{}" });
      await settle("release", 1);
      assert.equal(errors[0]?.code, "invalid-payload");
    });

    test("shouldSettleValidMessagesManually", async () => {
      await open({});
      const deliveries: Pick<Delivery, "ack">[] = [];
      await client.queue("orders").consume((delivery) => deliveries.push(delivery), {
        schema: STOCK,
        ack: "manual",
      });
      const { ref } = await answerConsume(session);
      deliver(session, ref, 1, { payload: '{"price":1}' });
      await until("delivered", () => deliveries.length === 1);
      const acknowledged = deliveries[0]?.ack();
      await settle("ack", 1);
      await acknowledged;
    });

    test("shouldValidateSubscriptionsByTopic", async () => {
      const typed = await open({ "orders.>": STOCK });
      const handled: unknown[] = [];
      await typed.durable("orders.>", "desk-1").consume(({ payload }) => handled.push(payload));
      const { ref } = await answerConsume(session);
      deliver(session, ref, 1, { payload: '{"price":1}' });
      await settle("ack", 1);
      deliver(session, ref, 2, { payload: '{"price":"2"}' });
      await settle("reject", 2);
      assert.deepEqual(handled, [{ price: 1 }]);
    });
  });
});
