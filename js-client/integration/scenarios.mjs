// Scenarios that a real node with a real broker and the in-memory node of @sluice/client/testing
// must answer equally. Each returns plain data, which is compared with `expected`.
//
// A world has these members:
// - open(options): connects a client and waits until it is open
// - cut(): ends all WebSockets without a close frame
// - restartNode(): ends the node's process and starts it again
// - stopBroker(), startBroker()
// - until(what, holds): waits for a condition
// - name(last): topic or queue that no other scenario uses

/** Subscribes and waits for the answer; collects everything that is reported. */
async function subscribe({ until }, client, topic, options) {
  const received = { messages: [], gaps: [], states: [], errors: [] };
  received.subscription = client.subscribe(
    topic,
    {
      onMessage: (message) => received.messages.push(message),
      onGap: ({ reason }) => received.gaps.push(reason),
      onState: ({ status }) => received.states.push(status),
      onError: ({ code }) => received.errors.push(code),
    },
    options,
  );
  await until("it is answered", () => /live|refused/.test(received.states.at(-1) ?? ""));
  return received;
}

async function consume({ until }, queue, options, handler = () => undefined) {
  const received = [];
  const errors = [];
  const consumer = await queue.consume(
    (delivery) => {
      received.push(delivery);
      return handler(delivery);
    },
    { onError: ({ code }) => errors.push(code), ...options },
  );
  await until("it is answered", () => consumer.state.status !== "pending");
  return { consumer, received, errors };
}

const payloads = (messages) => messages.map(({ payload }) => payload);
const codeOf = (promise) => promise.then(() => "resolved").catch(({ code }) => code);

const infos = ({ members }) =>
  members
    .map(({ info }) => info)
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Selectors, and the messages of `publishSelected` that they select. */
const SELECTORS = [
  ["region = 'EU' AND price > 100", ["2"]],
  ["price BETWEEN 50 AND 200 OR region NOT LIKE 'E_'", ["1", "2", "3"]],
  ["region IN ('US', 'ASIA') AND urgent = TRUE", ["3"]],
  ["region IS NULL", ["4"]],
  ["quantity * 2 - 1 >= 7 AND quantity / 2 = 2.5", ["2"]],
  ["NOT (region = 'EU')", ["3"]],
  ["region > note", ["1"]],
  ["JMSType = 'order' AND JMSPriority >= 7", ["2"]],
  ["note LIKE '50\\%%' ESCAPE '\\'", ["1"]],
  ["note = 'it''s' OR price = 1.5e2", ["2", "3"]],
  ["-quantity < -4.5 AND (urgent OR price <> 150)", ["2"]],
];

/** Selectors that the node or the broker refuses. */
const INVALID_SELECTORS = [
  "price >",
  "price > 'a'",
  "region = 'EU' AND",
  "(price = 1",
  'region = "EU"',
  "price = 1 -- all",
  "upper(region) = 'EU'",
  "note LIKE '%a%b'",
  "price NOT 5",
  "quantity + 1",
];

/** Publishes messages with different properties and headers. */
async function publishSelected(target, destination) {
  const publish = (text, properties, headers) =>
    destination
      ? target.publish(destination.topic, text, { properties, ...headers })
      : target.publish(text, { properties, ...headers });
  await publish("1", { region: "EU", price: 50.5, quantity: 4, note: "50% off" });
  const urgent = { messageType: "order", priority: 8 };
  await publish("2", { region: "EU", price: 150, quantity: 5, urgent: true }, urgent);
  await publish("3", { region: "US", price: 10, urgent: true, note: "it's" }, { priority: 9 });
  await publish("4", { price: 900 });
}

export const scenarios = [
  {
    name: "shouldDeliverInOrderThroughAPattern",
    expected: { payloads: ["1 äöü 😀", "2", "3"], patterns: [true], offsets: [1, 1], gaps: [] },
    async run(world) {
      const client = await world.open();
      const received = await subscribe(world, client, world.name("order.*"));
      for (const text of ["1 äöü 😀", "2", "3"]) {
        await client.publish(world.name("order.a"), text);
      }
      await world.until("all have come", () => received.messages.length === 3);
      const { messages, gaps } = received;
      const patterns = [...new Set(messages.map((each) => each.pattern === world.name("order.*")))];
      const offsets = [1, 2].map((at) => messages[at].offset - messages[at - 1].offset);
      return { payloads: payloads(messages), patterns, offsets, gaps };
    },
  },
  {
    name: "shouldDeliverEachKindOfPayload",
    expected: {
      kinds: ["text", "bytes", "json", "json", "text"],
      payloads: ["text", [0, 255], { flag: true, count: 7 }, ["a", 1], '{"a":1}'],
      properties: { region: "EU", quantity: 5 },
    },
    async run(world) {
      const client = await world.open();
      const topic = world.name("kinds");
      const { messages } = await subscribe(world, client, topic);
      await client.publish(topic, "text", { properties: { region: "EU", quantity: 5 } });
      await client.publish(topic, Uint8Array.of(0, 255));
      await client.publish(topic, { flag: true, count: 7 }, { body: "map" });
      await client.publish(topic, ["a", 1], { body: "stream" });
      await client.publish(topic, { a: 1 });
      await world.until("all have come", () => messages.length === 5);
      const plain = (payload) => (payload instanceof Uint8Array ? [...payload] : payload);
      return {
        kinds: messages.map(({ kind }) => kind),
        payloads: payloads(messages).map(plain),
        properties: messages[0].properties,
      };
    },
  },
  {
    name: "shouldStartWithASnapshotOrTheLatestMessages",
    expected: { snapshot: ["b2", "a3"], latest: ["b2", "a3"], replayed: true },
    async run(world) {
      const client = await world.open();
      const pattern = world.name("kept.*");
      const { messages } = await subscribe(world, client, pattern);
      await client.publish(world.name("kept.a"), "a1");
      await client.publish(world.name("kept.b"), "b2");
      await client.publish(world.name("kept.a"), "a3");
      await world.until("all have come", () => messages.length === 3);
      const other = await world.open();
      const snapshot = await subscribe(world, other, pattern, { from: "snapshot" });
      const third = await world.open();
      const latest = await subscribe(world, third, pattern, { from: { last: 2 } });
      await world.until("both have begun", () => {
        return snapshot.messages.length + latest.messages.length === 4;
      });
      return {
        snapshot: payloads(snapshot.messages),
        latest: payloads(latest.messages),
        replayed: latest.messages.every(({ replayed }) => replayed),
      };
    },
  },
  {
    name: "shouldResumeWithoutAGapAfterACut",
    expected: { payloads: ["before", "missed", "after"], gaps: [], states: ["live", "pending"] },
    async run(world) {
      const client = await world.open();
      const topic = world.name("cut");
      const received = await subscribe(world, client, topic);
      await client.publish(topic, "before");
      await world.until("it has come", () => received.messages.length === 1);
      world.cut();
      await world.until("it is reported", () => received.states.includes("pending"));
      const other = await world.open();
      await other.publish(topic, "missed");
      await world.until("it is back", () => received.messages.length === 2);
      await client.publish(topic, "after");
      await world.until("it continues", () => received.messages.length === 3);
      const { messages, gaps, states } = received;
      return { payloads: payloads(messages), gaps, states: states.slice(0, 2) };
    },
  },
  {
    name: "shouldReportRefusals",
    expected: { errors: ["topic-too-long"], state: "refused", large: "too-large" },
    async run(world) {
      const client = await world.open();
      const refused = await subscribe(world, client, "a".repeat(300));
      const large = await codeOf(client.publish(world.name("large"), "x".repeat(1 << 20)));
      return { errors: refused.errors, state: refused.states.at(-1), large };
    },
  },
  {
    name: "shouldStoreAPublishWithAnIdOnce",
    expected: ["first", "other"],
    async run(world) {
      const client = await world.open();
      const topic = world.name("ids");
      const { messages } = await subscribe(world, client, topic);
      const id = world.name("id-1");
      await client.publish(topic, "first", { id });
      await client.publish(topic, "second", { id });
      await client.publish(topic, "other");
      await world.until("both have come", () => messages.length === 2);
      return payloads(messages);
    },
  },
  {
    name: "shouldDeliverAndAcknowledgeMessagesOfAQueue",
    expected: {
      payloads: ["1", "2"],
      headers: [{ redelivered: false, messageType: "order", correlationId: "o-1", group: "ann" }],
      left: { messages: [], more: false, skipped: 0 },
    },
    async run(world) {
      const queue = (await world.open()).queue(world.name("acked"));
      const headers = { messageType: "order", correlationId: "o-1", group: "ann" };
      await queue.publish("1", headers);
      await queue.publish("2");
      const { consumer, received } = await consume(world, queue);
      await world.until("all are delivered", () => received.length === 2);
      await consumer.close();
      const [{ redelivered, messageType, correlationId, group }] = received;
      return {
        payloads: payloads(received),
        headers: [{ redelivered: redelivered === true, messageType, correlationId, group }],
        left: await queue.browse(),
      };
    },
  },
  {
    name: "shouldDeliverAgainIfTheHandlerRejects",
    expected: { payloads: ["x", "x"], redelivered: [false, true], errors: ["handler-failed"] },
    async run(world) {
      const queue = (await world.open()).queue(world.name("rejected"));
      await queue.publish("x");
      const { consumer, received, errors } = await consume(world, queue, {}, async (delivery) => {
        if (delivery.redelivered !== true) throw new Error("not now");
      });
      await world.until("it is delivered again", () => received.length === 2);
      await consumer.close();
      const redelivered = received.map((delivery) => delivery.redelivered === true);
      return { payloads: payloads(received), redelivered, errors };
    },
  },
  {
    name: "shouldSettleManually",
    expected: { again: "not-pending", last: ["4", true], left: [], dead: "3" },
    async run(world) {
      const client = await world.open();
      const queue = client.queue(world.name("manual"));
      for (const text of ["1", "2", "3", "4"]) await queue.publish(text);
      const { consumer, received } = await consume(world, queue, { ack: "manual", credit: 4 });
      await world.until("all are delivered", () => received.length === 4);
      await received[1].ack({ upTo: true });
      const again = await codeOf(received[0].ack());
      await received[2].reject();
      await received[3].release();
      await world.until("it is delivered again", () => received.length === 5);
      const last = [received[4].payload, received[4].redelivered];
      await received[4].ack();
      await consumer.close();
      const dead = await client.queue("DLQ").browse();
      const { messages } = await queue.browse();
      return { again, last, left: messages, dead: dead.messages.at(-1).payload };
    },
  },
  {
    name: "shouldReturnTheMessagesOfALostConsumer",
    expected: { payloads: ["1", "1"], redelivered: [false, true], isAborted: true },
    async run(world) {
      const queue = (await world.open()).queue(world.name("lost"));
      await queue.publish("1");
      const { consumer, received } = await consume(world, queue, { ack: "manual" });
      await world.until("it is delivered", () => received.length === 1);
      world.cut();
      await world.until("it is delivered again", () => received.length === 2);
      const isAborted = received[0].signal.aborted;
      await received[1].ack();
      await consumer.close();
      const redelivered = received.map((delivery) => delivery.redelivered === true);
      return { payloads: payloads(received), redelivered, isAborted };
    },
  },
  {
    name: "shouldBrowseAPartOfAQueue",
    expected: { messages: ["1", "2"], more: true },
    async run(world) {
      const queue = (await world.open()).queue(world.name("browsed"));
      for (const text of ["1", "2", "3"]) await queue.publish(text);
      const { messages, more } = await queue.browse({ max: 2 });
      return { messages: payloads(messages), more };
    },
  },
  {
    name: "shouldSelectMessagesOfATopic",
    expected: {
      selected: SELECTORS.map(([, expected]) => expected),
      snapshot: ["2"],
      refused: INVALID_SELECTORS.map(() => "invalid-selector"),
    },
    async run(world) {
      const client = await world.open();
      const topic = world.name("selected");
      const all = await subscribe(world, client, topic);
      const received = [];
      for (const [where] of SELECTORS) {
        received.push(await subscribe(world, client, topic, { where }));
      }
      const refused = [];
      for (const where of INVALID_SELECTORS) {
        refused.push((await subscribe(world, client, topic, { where })).errors[0]);
      }
      await publishSelected(client, { topic });
      await world.until("all have come", () => all.messages.length === 4);
      await world.until("all are selected", () =>
        received.every(({ messages }, at) => messages.length >= SELECTORS[at][1].length),
      );
      const other = await world.open();
      const options = { where: SELECTORS[0][0], from: "snapshot" };
      const snapshot = await subscribe(world, other, topic, options);
      await world.until("it has begun", () => snapshot.messages.length > 0);
      return {
        selected: received.map(({ messages }) => payloads(messages).toSorted()),
        snapshot: payloads(snapshot.messages),
        refused,
      };
    },
  },
  {
    name: "shouldSelectMessagesOfAQueue",
    expected: {
      selected: ["1", "2"],
      browsed: ["1", "3"],
      left: ["3", "4"],
      refused: "invalid-selector",
    },
    async run(world) {
      const queue = (await world.open()).queue(world.name("selected-queue"));
      await publishSelected(queue);
      const { messages } = await queue.browse({ where: "price < 60" });
      const { consumer, received } = await consume(world, queue, { where: "region = 'EU'" });
      await world.until("both are delivered", () => received.length === 2);
      await consumer.close();
      const left = await queue.browse();
      const refused = await codeOf(queue.browse({ where: "price >" }));
      return {
        selected: payloads(received).toSorted(),
        browsed: payloads(messages).toSorted(),
        left: payloads(left.messages).toSorted(),
        refused,
      };
    },
  },
  {
    name: "shouldRetainMessagesOfADurableSubscription",
    expected: {
      received: ["1", "2", "3"],
      topics: [true],
      listed: [{ where: "quantity > 0", messages: 2, consumers: 0 }],
      inUse: "subscription-in-use",
      other: "subscription-exists",
      deleted: [],
      again: "unknown-subscription",
    },
    async run(world) {
      const client = await world.open();
      const durable = client.durable(world.name("kept.*"), "desk-1");
      const options = { where: "quantity > 0" };
      const { consumer, received } = await consume(world, durable, options);
      const publish = (text, quantity) =>
        client.publish(world.name("kept.a"), text, { properties: { quantity } });
      await publish("1", 1);
      await world.until("the first is delivered", () => received.length === 1);
      const inUse = await codeOf(durable.delete());
      const { errors } = await consume(world, durable);
      await consumer.close();
      await publish("ignored", 0);
      await publish("2", 2);
      await publish("3", 3);
      const isOwn = ({ topic }) => topic === world.name("kept.*");
      const list = (await client.durables()).filter(isOwn);
      const next = await consume(world, durable, options);
      await world.until("all are delivered", () => next.received.length === 2);
      await next.consumer.close();
      await durable.delete();
      const all = [...received, ...next.received];
      return {
        received: payloads(all),
        topics: [...new Set(all.map(({ topic }) => topic === world.name("kept.a")))],
        listed: list.map(({ where, messages, consumers }) => ({ where, messages, consumers })),
        inUse,
        other: errors[0],
        deleted: (await client.durables()).filter(isOwn),
        again: await codeOf(durable.delete()),
      };
    },
  },
  {
    name: "shouldShareMessagesWhileThereIsAConsumer",
    expected: { shared: ["1", "2"], later: ["after"] },
    async run(world) {
      const client = await world.open();
      const topic = world.name("shared");
      const first = await consume(world, client.shared(topic, "workers"));
      const second = await consume(world, (await world.open()).shared(topic, "workers"));
      for (const text of ["1", "2"]) await client.publish(topic, text);
      const shared = () => payloads([...first.received, ...second.received]);
      await world.until("both are delivered", () => shared().length === 2);
      await first.consumer.close();
      await second.consumer.close();
      await client.publish(topic, "nobody");
      const later = await consume(world, client.shared(topic, "workers"));
      await client.publish(topic, "after");
      await world.until("it is delivered", () => later.received.length > 0);
      await later.consumer.close();
      return { shared: shared().toSorted(), later: payloads(later.received) };
    },
  },
  {
    name: "shouldCommitTransactions",
    expected: { published: ["audit"], filled: ["fill"], left: [], second: "not-pending" },
    async run(world) {
      const client = await world.open();
      const orders = client.queue(world.name("orders"));
      const fills = client.queue(world.name("fills"));
      const { messages } = await subscribe(world, client, world.name("audit"));
      await orders.publish("order");
      const { consumer, received } = await consume(world, orders, { ack: "manual" });
      await world.until("it is delivered", () => received.length === 1);
      await client.transaction((transaction) => {
        transaction.ack(received[0]);
        transaction.publish({ queue: world.name("fills") }, "fill");
        transaction.publish(world.name("audit"), "audit");
      });
      await world.until("it is published", () => messages.length === 1);
      const second = await codeOf(
        client.transaction((transaction) => {
          transaction.ack(received[0]);
        }),
      );
      await consumer.close();
      return {
        published: payloads(messages),
        filled: payloads((await fills.browse()).messages),
        left: payloads((await orders.browse()).messages),
        second,
      };
    },
  },
  {
    name: "shouldRefuseTransactionsAsAWhole",
    expected: { refusal: ["topic-too-long", "publish 2"], large: "bad-frame", left: [] },
    async run(world) {
      const client = await world.open();
      const queue = world.name("nothing");
      const refusal = await client
        .transaction((transaction) => {
          transaction.publish({ queue }, "1");
          transaction.publish("a".repeat(300), "2");
        })
        .catch(({ code, message }) => [code, message.slice(0, 9)]);
      const large = await codeOf(
        client.transaction((transaction) => {
          for (let i = 0; i < 101; i++) transaction.publish({ queue }, "");
        }),
      );
      const { messages } = await client.queue(queue).browse();
      return { refusal, large, left: messages };
    },
  },
  {
    name: "shouldShowMembersUntilTheyLeave",
    expected: {
      first: [1, [{ name: "Ann" }]],
      both: [{ away: true }, { name: "Ann" }],
      isSelf: true,
      counted: [2, undefined],
      left: [{ name: "Ann" }],
    },
    async run(world) {
      const topic = world.name("room");
      const ann = await (await world.open()).presence(topic, { info: { name: "Ann" } });
      const first = [ann.count, infos(ann)];
      const bob = await (await world.open()).presence(topic, { info: { name: "Bob" } });
      await world.until("Bob has joined", () => ann.count === 2);
      bob.update({ away: true });
      await world.until("it is known", () => JSON.stringify(infos(ann)).includes("away"));
      const both = infos(ann);
      const isSelf = ann.members.some(({ id }) => id === bob.self) && ann.self !== bob.self;
      const watching = { enter: false, members: false };
      const counting = await (await world.open()).presence(topic, watching);
      const counted = [counting.count, counting.members];
      bob.leave();
      await world.until("Bob has left", () => ann.count === 1 && counting.count === 1);
      return { first, both, isSelf, counted, left: infos(ann) };
    },
  },
  {
    name: "shouldKeepAMemberWhoseConnectionIsLost",
    expected: { counts: [2], isSame: true, live: [false, true], refused: "bad-frame" },
    async run(world) {
      const topic = world.name("lobby");
      const client = await world.open();
      const ann = await client.presence(topic);
      const bob = await (await world.open()).presence(topic);
      await world.until("Bob has joined", () => ann.count === 2);
      const { self } = ann;
      const [counts, live] = [new Set(), []];
      ann.onChange((presence) => {
        if (presence.live !== live.at(-1)) live.push(presence.live);
        counts.add(presence.count);
      });
      world.cut();
      await world.until("both are back", () => live.at(-1) === true && bob.live);
      const refused = await codeOf(client.presence(world.name("hall"), { info: "x".repeat(300) }));
      return { counts: [...counts], isSame: ann.self === self, live: [...live], refused };
    },
  },
  {
    name: "shouldReportAGapAfterARestartOfTheNode",
    expected: { payloads: ["before", "after"], gaps: ["not-recovered"] },
    async run(world) {
      const client = await world.open();
      const topic = world.name("restarted");
      const received = await subscribe(world, client, topic);
      await client.publish(topic, "before");
      await world.until("it has come", () => received.messages.length === 1);
      await world.restartNode();
      await world.until("the gap is reported", () => received.gaps.length === 1);
      await client.publish(topic, "after");
      await world.until("it continues", () => received.messages.length === 2);
      return { payloads: payloads(received.messages), gaps: received.gaps };
    },
  },
  {
    name: "shouldReportAnOutageOfTheBroker",
    expected: {
      states: ["stale", "open"],
      gaps: ["broker-lost"],
      offline: "broker-unavailable",
      payloads: ["after"],
    },
    async run(world) {
      const client = await world.open();
      const topic = world.name("outage");
      const received = await subscribe(world, client, topic);
      // Loads the code for publishing.
      await client.publish(world.name("other"), "");
      const states = [];
      client.on("state", ({ status }) => states.push(status));
      await world.stopBroker();
      await world.until("it is stale", () => client.state.status === "stale");
      const offline = await codeOf(client.publish(topic, "offline"));
      await world.startBroker();
      await world.until("it is live", () => client.state.status === "open");
      await client.publish(topic, "after");
      await world.until("it continues", () => received.messages.length === 1);
      return {
        states: [...states],
        gaps: received.gaps,
        offline,
        payloads: payloads(received.messages),
      };
    },
  },
];
