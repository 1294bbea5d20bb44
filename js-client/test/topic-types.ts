// Types of topic maps and schemas, which the compiler checks. The functions are not called.
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { connect, type Client, type Message, type TypedMessage } from "../src/index.js";
import { createHooks, useMessages, useSubscription, useTopic } from "../src/react.js";

interface Stock {
  readonly symbol: string;
  readonly price: number;
}
interface Order {
  readonly id: string;
}
interface Topics {
  "stocks.>": Stock;
  "stocks.index": { readonly level: number };
  "stocks.*.depth": readonly Stock[];
  "orders.*": Order;
  "orders.>": unknown[];
  chat: "hello" | "bye";
  image: Uint8Array;
}

type Equal<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/** Compiles only if the value has exactly this type. */
declare function exactly<Expected>(): <Actual>(
  value: Actual,
  ...same: Equal<Expected, Actual> extends true ? [] : [never]
) => number;

const json = { payload: "json" } as const;
const text = { payload: "text" } as const;
const stock = z.object({ symbol: z.string(), price: z.number() });
const since = z.object({ since: z.string().transform((date) => new Date(date)) });

const priced = type({ price: "number" });

export function topicMaps(id: string, topic: string): void {
  const client = connect<Topics>("ws://localhost/ws");
  client.subscribe("stocks.7", ({ payload }) => exactly<Stock>()(payload), json);
  client.subscribe("stocks.>", ({ payload }) => exactly<Stock>()(payload), json);
  client.subscribe("stocks.*", ({ payload }) => exactly<Stock>()(payload), json);
  client.subscribe(`stocks.${id}`, ({ payload }) => exactly<Stock>()(payload), json);
  client.subscribe("stocks.index", (message) => exactly<number>()(message.payload.level), json);
  client.subscribe("stocks.7.depth", (m) => exactly<readonly Stock[]>()(m.payload), json);
  client.subscribe("stocks.7.trades", ({ payload }) => exactly<Stock>()(payload), json);
  client.subscribe("orders.eu", ({ payload }) => exactly<Order>()(payload), json);
  client.subscribe("orders.eu.1", ({ payload }) => exactly<unknown[]>()(payload), json);
  client.subscribe("chat", ({ payload }) => exactly<"hello" | "bye">()(payload), text);
  client.subscribe("image", ({ payload }) => exactly<Uint8Array>()(payload), { payload: "bytes" });
  // The text of a JSON payload is not a Stock.
  client.subscribe("stocks.7", ({ payload }) => exactly<string>()(payload), text);
  // Without `payload` nothing is converted.
  client.subscribe("stocks.7", (message) => exactly<Message>()(message));
  // Unknown topics are permitted, with the types of a client without a map.
  client.subscribe("stocks", ({ payload }) => exactly<unknown>()(payload), json);
  client.subscribe(">", ({ payload }) => exactly<unknown>()(payload), json);
  client.subscribe(topic, (message) => exactly<Message<"json">>()(message), json);
  client.subscribe<Order>("other", ({ payload }) => exactly<Order>()(payload), json);
  client.subscribe(
    "stocks.7",
    { onMessage: (message) => exactly<TypedMessage<Stock, "json">>()(message) },
    { payload: "json", from: "snapshot" },
  );
  // @ts-expect-error The payload has another type.
  client.subscribe("stocks.7", ({ payload }) => exactly<Order>()(payload), json);
  // @ts-expect-error There is no such option.
  client.subscribe("stocks.7", () => undefined, { payload: "json", form: "now" });
  client satisfies Client;
}

export async function publishes(topic: string): Promise<void> {
  const client = connect<Topics>("ws://localhost/ws");
  await client.publish("stocks.7", { symbol: "A", price: 1 });
  await client.publish("chat", "hello");
  await client.publish("unknown", 5);
  await client.publish(topic, { any: true });
  // @ts-expect-error `price` is a number.
  await client.publish("stocks.7", { symbol: "A", price: "1" });
  // @ts-expect-error `symbol` is required.
  await client.publish("stocks.>", { price: 1 });
  // @ts-expect-error There is no such text.
  await client.publish("chat", "hi");
  // @ts-expect-error An order is not a text.
  await client.request("orders.eu", "new");
  const reply = await client.request<Stock>("quotes", "A", { reply: "json" });
  exactly<Stock>()(reply.payload);
  for await (const { payload } of client.messages("orders.eu", json)) exactly<Order>()(payload);
  await client.durable("orders.eu", "a").consume(({ payload }) => exactly<Order>()(payload), json);
  await client.queue("q").consume<Order>(({ payload }) => exactly<Order>()(payload), json);
}

export async function schemas(): Promise<void> {
  const plain = connect("ws://localhost/ws");
  plain.subscribe("a", ({ payload }) => exactly<Date>()(payload.since), { schema: since });
  plain.subscribe("a", ({ payload }) => exactly<number>()(payload.price), {
    schema: v.object({ price: v.number() }),
  });
  plain.subscribe("a", ({ payload }) => exactly<number>()(payload.price), {
    schema: priced,
    from: "snapshot",
  });
  plain.subscribe<Stock>("a", ({ payload }) => exactly<Stock>()(payload), json);
  // @ts-expect-error Without `payload` the message is not converted to a Stock.
  plain.subscribe<Stock>("a", () => undefined);
  // @ts-expect-error This is no schema.
  plain.subscribe("a", () => undefined, { schema: { parse: () => 1 } });
  for await (const { payload } of plain.messages("a", { schema: stock })) {
    exactly<number>()(payload.price);
  }
  await plain.queue("q").consume(({ payload }) => exactly<number>()(payload.price), {
    schema: stock,
    credit: 2,
  });

  const client = connect("ws://localhost/ws", {
    schemas: {
      "stocks.>": stock,
      since,
      chat: "text",
      names: { payload: "text", schema: z.string().min(2) },
    },
  });
  client.subscribe("stocks.7", ({ payload }) => exactly<number>()(payload.price));
  client.subscribe("since", ({ payload }) => exactly<Date>()(payload.since));
  client.subscribe("chat", ({ payload }) => exactly<string>()(payload));
  client.subscribe("names", ({ payload }) => exactly<string>()(payload));
  client.subscribe("other", (message) => exactly<Message>()(message));
  await client.publish("since", { since: "2026-01-01" });
  // @ts-expect-error The schema's input is a text.
  await client.publish("since", { since: new Date() });
  await client.shared("stocks.>", "a").consume(({ payload }) => exactly<number>()(payload.price));

  const typed = connect<{ chat: string; a: Stock }>("ws://localhost/ws", {
    schemas: { chat: "text", a: stock },
  });
  typed.subscribe("a", ({ payload }) => exactly<Stock>()(payload));
  // @ts-expect-error A schema is not a topic.
  connect("ws://localhost/ws", { schemas: { a: 5 } });
}

export function Hooks(): null {
  exactly<number | undefined>()(useTopic("a", { schema: stock }).payload?.price);
  exactly<string | undefined>()(useTopic("a", text).payload);
  exactly<Stock | undefined>()(useTopic<Stock>("a", json).payload);
  useMessages("a", {
    schema: stock,
    keep: 3,
    by: ({ payload }) => exactly<number>()(payload.price),
  });
  useSubscription("a", ({ payload }) => exactly<number>()(payload.price), { schema: stock });
  const hooks = createHooks<Topics>();
  exactly<Stock | undefined>()(hooks.useTopic("stocks.7", json).payload);
  const { messages } = hooks.useMessages("orders.eu", {
    payload: "json",
    keep: 3,
    by: ({ payload }) => payload.id,
  });
  exactly<string | undefined>()(messages[0]?.payload.id);
  hooks.useSubscription("stocks.7", ({ payload }) => exactly<Stock>()(payload), json);
  void hooks.usePublish()("chat", "bye");
  // @ts-expect-error There is no such text.
  void hooks.usePublish()("chat", "hi");
  return null;
}
