import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Position, SluiceError, SubscribeOptions, Subscription } from "../src/index.js";
import { FEATURES, openAt, type Scene } from "./full-duplex.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { NODE_TIME, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";
import { NEW, OLD, TwoNodes } from "./two-nodes.js";

const WHERE = "region = 'EU'";

describe("selectors of subscriptions", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  /** Subscribes with a selector; `received` has payloads and reasons of gaps. */
  function subscribe({ client }: Pick<Scene, "client">, options: SubscribeOptions = {}) {
    const received: unknown[] = [];
    const errors: SluiceError[] = [];
    const subscription: Subscription = client.subscribe(
      "a",
      {
        onMessage: ({ payload }) => received.push(payload),
        onGap: ({ reason }) => received.push(reason),
        onError: (error) => errors.push(error),
      },
      { where: WHERE, ...options },
    );
    return { received, errors, subscription };
  }

  /** Answers the next subscribe of the topic `a`; returns it. */
  async function answer(session: ScriptedSession, epoch = OLD, members: object = {}) {
    const subscribed = await session.next("subscribe");
    const { ref, topic, tagged } = subscribed;
    session.send({
      type: "subscribed",
      ref,
      topic,
      tagged,
      epoch,
      offset: 0,
      time: NODE_TIME,
      ...members,
    });
    return subscribed;
  }

  test("shouldReceiveEachSelectionOfATopicSeparately", async () => {
    const scene = await openAt(nodes);
    const { session } = scene;
    const eu = subscribe(scene);
    const us = subscribe(scene, { where: "region = 'US'", delivery: "latest" });
    const plain = subscribe(scene, { where: undefined });
    const subscribes = [await answer(session), await answer(session), await answer(session)];
    const [first, second, third] = subscribes.map(({ ref }) => ref);
    assert.deepEqual(
      subscribes.map(({ where, tagged }) => [where, tagged]),
      [
        [WHERE, true],
        ["region = 'US'", true],
        [undefined, undefined],
      ],
    );
    session.message("a", 1, "eu", { ref: first });
    session.message("a", 1, "us", { ref: second });
    session.message("a", 1, "plain");
    session.send({
      type: "gap",
      ref: first,
      topic: "a",
      reason: "overload",
      offset: 5,
      time: NODE_TIME,
    });
    session.message("a", 9, "unknown", { ref: 4_711 });
    await until("all are received", () => eu.received.length === 2);
    assert.deepEqual(eu.received, ["eu", "overload"]);
    assert.deepEqual(us.received, ["us"]);
    assert.deepEqual(plain.received, ["plain"]);
    eu.subscription.unsubscribe();
    const { ref, ...frame } = await session.next("unsubscribe");
    assert.deepEqual(frame, { type: "unsubscribe", topic: "a", subscription: first });
    plain.subscription.unsubscribe();
    const unsubscribe = await session.next("unsubscribe");
    assert.equal(unsubscribe["subscription"], undefined);
    session.message("a", 2, "us 2", { ref: second });
    await until("the other one continues", () => us.received.length === 2);
    assert.ok(ref > 0 && Number(third) > 0);
  });

  test("shouldParseBinaryMessages", async () => {
    const scene = await openAt(nodes);
    const { session } = scene;
    const { received } = subscribe(scene);
    const { ref } = await answer(session, OLD, { channel: 12 });
    const message = Buffer.alloc(24);
    message.writeUInt32BE(12);
    message.writeUInt8(0x81);
    message.writeUInt32BE(1, 4);
    message.writeUInt32BE(7, 12);
    message.writeUInt32BE(Date.now() % 2 ** 32, 16);
    message.writeUInt32BE(ref, 20);
    session.sendRaw(Buffer.concat([message, Buffer.from("eu")]));
    await until("received", () => received.length === 1);
    assert.deepEqual(received, ["eu"]);
  });

  test("shouldWaitForTheHelloBecauseOlderNodesIgnoreSelectors", async () => {
    const client = nodes.open();
    const { errors, subscription } = subscribe({ client });
    const session = await nodes.old.session();
    await session.next("connect");
    session.hello({ features: ["queues"] });
    await until("refused", () => errors.length === 1);
    assert.equal(subscription.state.status, "refused");
    assert.equal(errors[0]?.code, "unsupported");
    const late = subscribe({ client });
    await until("refused again", () => late.errors.length === 1);
    assert.equal(session.count("subscribe"), 0);
    session.cut();
    const next = await nodes.old.session();
    next.hello({ features: FEATURES });
    assert.equal((await answer(next))["where"], WHERE);
    await until("live", () => subscription.state.status === "live");
  });

  test("shouldResumeAtThePositionOfTheSelector", async () => {
    const scene = await openAt(nodes);
    const { client, session } = scene;
    const { subscription, received } = subscribe(scene);
    const { ref } = await answer(session);
    session.message("a", 1, "one", { ref });
    await until("received", () => received.length === 1);
    const position: Position = subscription.position ?? assert.fail("no position");
    assert.equal(position.where, WHERE);
    session.cut();
    const next = await nodes.old.session();
    next.hello({ features: FEATURES });
    const resumed = await answer(next, OLD, { offset: 1, recovered: true, time: undefined });
    const { where, ...sent } = position;
    assert.deepEqual(resumed["from"], JSON.parse(JSON.stringify(sent)));
    assert.equal(where, WHERE);
    for (const other of ["region = 'US'", undefined]) {
      const start = (): unknown =>
        client.subscribe("a", () => undefined, { from: position, where: other });
      assert.throws(start, isSluiceError("invalid-argument"));
    }
    const stored = subscribe({ client: nodes.open() }, { from: position });
    const third = await nodes.old.session();
    third.hello({ features: FEATURES });
    assert.deepEqual((await answer(third))["from"], JSON.parse(JSON.stringify(sent)));
    assert.deepEqual(stored.errors, []);
  });

  test("shouldStartALateObserverAtItsStart", async () => {
    const scene = await openAt(nodes);
    const { session } = scene;
    const early = subscribe(scene);
    const first = await answer(session);
    session.message("a", 1, "one", { ref: first.ref });
    await until("received", () => early.received.length === 1);
    const late = subscribe(scene, { from: "snapshot" });
    const own = await answer(session, OLD, { offset: 2, replay: 1 });
    assert.deepEqual([own["where"], own["from"]], [WHERE, "snapshot"]);
    session.message("a", 2, "two", { ref: own.ref });
    session.message("a", 2, "two", { ref: first.ref });
    session.message("a", 3, "three", { ref: own.ref });
    session.message("a", 3, "three", { ref: first.ref });
    await until("both continue", () => late.received.length === 2 && early.received.length === 3);
    assert.deepEqual(early.received, ["one", "two", "three"]);
    assert.deepEqual(late.received, ["two", "three"]);
  });

  test("shouldMoveToANodeThatSupportsThem", async () => {
    const scene = await openAt(nodes);
    const { received } = subscribe(scene);
    const { ref } = await answer(scene.session);
    scene.session.message("a", 1, "one", { ref });
    await until("received", () => received.length === 1);
    nodes.drain(scene.session);
    const next = await nodes.other.session();
    await next.next("connect");
    assert.equal(next.count("subscribe"), 0);
    next.hello({ node: "gw-2", features: FEATURES });
    const moved = await answer(next, NEW, { recovered: true, time: undefined });
    next.message("a", 1, "two", { ref: moved.ref, id: "00000000000000aa" });
    await until("moved", () => nodes.moves.length === 1);
    await until("received there", () => received.length === 2);
    assert.deepEqual(received, ["one", "two"]);
  });

  test("shouldRefuseAfterAMoveToAnOlderNode", async () => {
    const scene = await openAt(nodes);
    const { errors } = subscribe(scene);
    await answer(scene.session);
    nodes.drain(scene.session);
    const next = await nodes.other.session();
    next.hello({ node: "gw-2" });
    await until("moved", () => nodes.moves.length === 1);
    await until("refused", () => errors.length === 1);
    assert.equal(errors[0]?.code, "unsupported");
    assert.equal(next.count("subscribe"), 0);
  });

  test("shouldSubscribeOverHttp", async () => {
    const gateway = await ScriptedGateway.start();
    const client = nodes.open({ transports: ["http"] }, gateway.url);
    const { received } = subscribe({ client });
    const first = await gateway.stream();
    first.hello({ features: FEATURES });
    const second = await gateway.stream();
    second.hello({ features: FEATURES });
    const { ref } = await answer(second);
    second.message("a", 1, "one", { ref });
    await until("received", () => received.length === 1);
    client.close();
    await gateway.stop();
  });

  test("shouldPassTheSelectorOfALoop", async () => {
    const { client, session } = await openAt(nodes);
    const loop = client.messages("a", { where: WHERE });
    const first = loop.next();
    const { ref } = await answer(session);
    session.message("a", 1, "one", { ref });
    const { value } = await first;
    assert.equal((value as { readonly payload: unknown }).payload, "one");
    await loop.return(undefined);
  });

  test("shouldRejectABlankSelector", async () => {
    const { client } = await openAt(nodes);
    for (const where of [" ", "", 7]) {
      const start = (): unknown =>
        client.subscribe("a", () => undefined, { where } as SubscribeOptions);
      assert.throws(start, isSluiceError("invalid-argument"));
    }
  });
});
