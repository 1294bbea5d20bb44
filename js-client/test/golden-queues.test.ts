import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { DeliveredMessage } from "../src/queues/delivery.js";
import { Durables } from "../src/queues/durables.js";
import { toMessageFrame, type Hello } from "../src/engine/frames.js";
import type { JsonObject } from "../src/engine/json.js";
import type { Link } from "../src/transport/link.js";
import { parseBinaryMessage } from "../src/engine/binary.js";
import { systemClock } from "../src/engine/clock.js";
import { toContent } from "../src/engine/content.js";
import { toReply } from "../src/engine/publish-options.js";
import type { PublishHost } from "../src/engine/publish-queue.js";
import { PublishQueue } from "../src/engine/publish-queue.js";
import { toContentMembers } from "../src/engine/publish-frames.js";
import {
  Attachment,
  PendingDelivery,
  type AttachmentListener,
} from "../src/queues/queue-attachment.js";
import type {
  DurableInfo,
  Destination,
  Delivery,
  Reply,
  RequestOptions,
  Transaction,
} from "../src/index.js";
import { request } from "../src/queues/requests.js";
import { Sessions } from "../src/queues/sessions.js";
import type { Source } from "../src/queues/source.js";
import { transact } from "../src/queues/transactions.js";

interface Frame {
  readonly name: string;
  readonly text: string;
}

/** Sections of the golden frames; some exist only in later versions. */
interface Golden {
  readonly clientQueues: readonly Frame[];
  readonly clientDurables?: readonly Frame[];
  readonly clientTransactions?: readonly Frame[];
  readonly requests: readonly Frame[];
  readonly replies: readonly Frame[];
  readonly queues: readonly Frame[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/golden.json", "utf8")) as Golden;

/** Client whose link records the frames that it sends. */
class RecordingClient {
  readonly frames: string[] = [];
  readonly sessions: Sessions;
  readonly publishes: PublishQueue;

  constructor(firstRef = 7) {
    let ref = firstRef;
    const link = { nextRef: () => ref++, send: (frame: string) => this.frames.push(frame) > 0 };
    const limits = { messageBytes: 65_536, publishRate: 100 };
    const features = ["durable", "transactions", "transacted-acks"];
    const settings = { clock: systemClock, publishTimeout: 1_000, maxPublishes: 10 };
    this.sessions = new Sessions({
      settings,
      parsers: [toMessageFrame, parseBinaryMessage],
      isPaused: () => false,
    } as unknown as PublishHost);
    this.publishes = new PublishQueue(this.sessions.host);
    this.sessions.onHello(link as unknown as Link, { limits, features } as unknown as Hello);
    this.publishes.onHello(link as unknown as Link, { limits, features } as unknown as Hello);
  }

  attach(source: Source = { queue: "orders" }, where?: string, credit = 20): Attachment {
    const { current } = this.sessions;
    const listener = {
      source,
      where,
      payload: undefined,
      onDelivery: () => undefined,
      onSettled: () => undefined,
      onEnd: () => undefined,
    };
    return new Attachment(
      current ?? assert.fail("no session"),
      listener as unknown as AttachmentListener,
      credit,
    );
  }

  /** Returns the last frame without its request number. */
  get last(): JsonObject {
    return withoutRef(this.frames.at(-1) ?? "{}");
  }

  request(destination: Destination, payload: unknown, options?: RequestOptions): Promise<Reply> {
    const content = toContent(payload, options);
    return request(this.sessions, this.publishes, destination, content, options);
  }
}

function withoutRef(text: string): JsonObject {
  return { ...(JSON.parse(text) as JsonObject), ref: undefined };
}

/** Returns the frame that an action sends, without its request number. */
async function sent(act: (client: RecordingClient) => unknown): Promise<JsonObject> {
  const client = new RecordingClient();
  const acting: unknown = act(client);
  if (acting instanceof Promise) acting.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  const { last } = client;
  client.sessions.onLost();
  return last;
}

function settle(how: "ack" | "release" | "reject", tag: number, upTo: boolean) {
  return sent((client) => {
    const attachment = client.attach();
    const delivery = new PendingDelivery(attachment, tag, {} as DeliveredMessage);
    return attachment.settle(how, delivery, upTo);
  });
}

function transaction(
  build: (transaction: Transaction, deliver: (tag: number) => Delivery) => void,
) {
  return sent((client) => {
    const attachment = client.attach();
    const deliver = (tag: number): Delivery =>
      new PendingDelivery(attachment, tag, {
        kind: "text",
        payload: "",
      } as DeliveredMessage).toDelivery();
    return transact(client.sessions, client.publishes, (content) => {
      build(content, deliver);
    });
  });
}

/** Compares the frames of a section with those that the actions send; `others` are skipped. */
function compare(
  section: readonly Frame[] | undefined,
  written: Readonly<Record<string, () => Promise<JsonObject>>>,
  others: readonly string[] = [],
): void {
  for (const { name, text } of section ?? []) {
    if (others.includes(name)) continue;
    test(`shouldEncode ${name}`, async () => {
      const write = written[name] ?? assert.fail("not tested");
      assert.deepEqual(JSON.parse(JSON.stringify(await write())), withoutRefMember(text));
    });
  }
}

function withoutRefMember(text: string): unknown {
  return JSON.parse(JSON.stringify(withoutRef(text)));
}

const where = "region = 'EU'";
const members = {
  properties: { amount: 5 },
  types: { amount: "int" },
  priority: 9,
  delay: 1,
  persistent: false,
  messageType: "quote",
  group: "eu",
} as const;

describe("golden frames of queues from the client", () => {
  compare(
    golden.clientQueues,
    {
      "consume with credit and selector": () =>
        sent((client) => client.attach({ queue: "orders" }, where)),
      ack: () => settle("ack", 12, false),
      "ack up to a tag": () => settle("ack", 12, true),
      release: () => settle("release", 13, false),
      "release up to a tag": () => settle("release", 13, true),
      reject: () => settle("reject", 14, false),
      "reject up to a tag": () => settle("reject", 14, true),
      credit: () =>
        sent((client) => {
          client.attach().setCredit(50);
        }),
      "unsubscribe from a queue": () => sent((client) => client.attach().close()),
    },
    // The requests of a browse are tested with a client; this one always states its credit.
    ["consume", "browse", "browse with a selector"],
  );
});

describe("golden frames of durable subscriptions from the client", () => {
  const durable = { topic: "orders.eu", durable: "desk-1" };
  compare(
    golden.clientDurables,
    {
      "consume from a durable subscription with credit and selector": () =>
        sent((client) => client.attach(durable, where)),
      "consume from a shared subscription of a pattern": () =>
        sent((client) => client.attach({ topic: "orders.>", shared: "workers" })),
      list: () => sent((client) => new Durables(client.sessions).list()),
      delete: () => sent((client) => new Durables(client.sessions).delete(durable)),
    },
    // This client always states its credit.
    ["consume from a durable subscription"],
  );
});

describe("golden transactions", () => {
  compare(golden.clientTransactions, {
    transaction: () =>
      transaction((content, deliver) => {
        content.publish({ queue: "fills" }, "7@101.25");
        content.publish("audit.fills", "7");
        content.ack(deliver(12), { upTo: true });
      }),
    "transaction without acknowledgements": () =>
      transaction((content) => {
        const options = { properties: { a: 1 }, types: { a: "int" }, priority: 9 } as const;
        content.publish({ queue: "fills" }, Uint8Array.of(0, 255, 16), options);
      }),
    "transaction without publishes": () =>
      transaction((content, deliver) => {
        content.ack(deliver(12));
        content.ack(deliver(14));
      }),
  });
});

describe("golden requests", () => {
  const respond = (payload: unknown, options: object): Promise<JsonObject> =>
    sent((client) => {
      const attachment = client.attach();
      const delivery = new PendingDelivery(attachment, 12, {} as DeliveredMessage);
      return attachment.respond(delivery, toContentMembers(toReply(payload, options)));
    });

  compare(golden.requests, {
    request: () => sent((client) => client.request({ topic: "quotes" }, "EURUSD")),
    "request with members": () =>
      sent((client) => {
        const options = { body: "map", ...members, timeout: 2_000 } as const;
        return client.request({ queue: "quotes" }, { pair: "EURUSD" }, options);
      }),
    respond: () => respond("1.0934", {}),
    "respond with members": () => respond({ bid: 1.0934 }, { body: "map", ...members, ttl: 1_000 }),
  });

  for (const { name, text } of golden.replies) {
    test(`shouldParse ${name}`, async () => {
      const frame = JSON.parse(text) as JsonObject;
      const client = new RecordingClient(frame["ref"] as number);
      const replying = client.request({ topic: "quotes" }, "EURUSD");
      client.sessions.onFrame(frame);
      const { encoding, payload } = frame;
      const reply = await replying;
      assert.equal(reply.id, frame["id"]);
      assert.equal(reply.messageType, frame["messageType"]);
      assert.deepEqual(reply.properties, frame["properties"] ?? {});
      assert.equal(
        reply.kind,
        encoding === undefined ? "text" : encoding === "json" ? "json" : "bytes",
      );
      const bytes = Uint8Array.from(Buffer.from(String(payload), "base64"));
      assert.deepEqual(reply.payload, encoding === "base64" ? bytes : payload);
    });
  }

  for (const { name, text } of golden.queues.filter(({ name: each }) =>
    each.startsWith("listed"),
  )) {
    test(`shouldParse ${name}`, async () => {
      const frame = JSON.parse(text) as JsonObject;
      const client = new RecordingClient(frame["ref"] as number);
      const listing = new Durables(client.sessions).list();
      await new Promise((resolve) => setImmediate(resolve));
      client.sessions.onFrame(frame);
      const list = await listing;
      assert.equal(list.more, frame["more"] === true);
      const all: readonly DurableInfo[] = list;
      const written = all.map(({ name: durable, ...others }) => ({ durable, ...others }));
      assert.deepEqual(
        (JSON.parse(JSON.stringify(written)) as object[]).map(sorted),
        (frame["subscriptions"] as object[]).map(sorted),
      );
    });
  }
});

function sorted(object: object): unknown {
  return Object.fromEntries(Object.entries(object).sort());
}
