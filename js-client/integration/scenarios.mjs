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
      left: { messages: [], more: false },
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
        headers: [{ redelivered, messageType, correlationId, group }],
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
        if (!delivery.redelivered) throw new Error("not now");
      });
      await world.until("it is delivered again", () => received.length === 2);
      await consumer.close();
      const redelivered = received.map((delivery) => delivery.redelivered);
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
      const redelivered = received.map((delivery) => delivery.redelivered);
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
