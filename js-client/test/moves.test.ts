import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type SluiceError } from "../src/index.js";
import { NODE_TIME, type ScriptedNode } from "./scripted-node.js";
import { until } from "./support.js";
import { NEW, NOWHERE, OLD, RECOVERED, TwoNodes } from "./two-nodes.js";

describe("moving to another node", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;
  let old: ScriptedNode;
  let other: ScriptedNode;
  let errors: SluiceError[];
  let states: string[];
  let moves: unknown[];

  beforeEach(async () => {
    nodes = await TwoNodes.start();
    ({ old, other, errors, states, moves } = nodes);
  });

  afterEach(() => nodes.stop());

  test("shouldLeaveOnlyWhenTheOtherNodeHasAnsweredEverything", async () => {
    const { session, received } = await nodes.openWithTopic();
    nodes.drain(session);
    const next = await other.session();
    assert.equal((await next.next("connect"))["redirected"], true);
    next.hello({ node: "gw-2" });
    session.message("a", 2, "two");
    await until("the old one counts", () => received.length === 2);
    assert.equal(session.closeCode, undefined);
    const { from } = await next.subscribed(7, { ...RECOVERED, replay: 3 });
    assert.equal((from as { readonly offset: number }).offset, 1);
    next.message("a", 5, "one", { id: "0000000000000001" });
    next.message("a", 6, "two", { id: "0000000000000002" });
    next.message("a", 7, "three", { id: "0000000000000003" });
    next.message("a", 8, "four", { id: "0000000000000004" });
    await until("the old one is closed", () => session.closeCode === 1000);
    await until("all came", () => received.length === 4);
    assert.deepEqual(received, ["one", "two", "three", "four"]);
    assert.deepEqual(states, ["open", "draining", "open"]);
    assert.deepEqual(moves, [{ from: "gw-1", to: "gw-2" }]);
    assert.deepEqual(errors, []);
  });

  test("shouldRecognizeBinaryFramesAsActivity", async () => {
    const client = nodes.open({ encoding: "binary" });
    const received: unknown[] = [];
    client.subscribe("a", ({ payload }) => received.push(payload));
    const session = await old.session();
    session.hello();
    await session.subscribed(0, { epoch: OLD, channel: 1 });
    session.binaryMessage(1, 1, "one");
    await until("a message", () => received.length === 1);
    nodes.drain(session);
    const next = await other.session();
    next.hello();
    session.binaryMessage(1, 2, "two");
    await next.subscribed(40, { ...RECOVERED, channel: 9, replay: 1 });
    next.binaryMessage(9, 40, "two", 2);
    next.binaryMessage(9, 41, "three", 3);
    await until("all came", () => received.length === 3);
    assert.deepEqual(received, ["one", "two", "three"]);
    assert.deepEqual(errors, []);
  });

  test("shouldRepeatTheSubscribeAfterAGapOfTheOldNode", async () => {
    const { session, received } = await nodes.openWithTopic();
    nodes.drain(session);
    const next = await other.session();
    next.hello();
    const first = await next.next("subscribe");
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 5, time: NODE_TIME });
    session.message("a", 6, "six");
    await until("the old one counts", () => received.length === 3);
    const answer = { type: "subscribed", topic: "a", offset: 3, replay: 1, ...RECOVERED };
    next.send({ ...answer, ref: first.ref });
    next.message("a", 3, "late", { id: "00000000000000aa" });
    await next.next("unsubscribe");
    await next.subscribed(9, RECOVERED);
    next.message("a", 10, "seven", { id: "0000000000000007" });
    await until("moved", () => moves.length === 1 && received.length === 4);
    assert.deepEqual(received, ["one", "overload", "six", "seven"]);
  });

  test("shouldMoveSubscriptionsThatChangeDuringTheMove", async () => {
    const { client, session } = await nodes.openWithTopic();
    const received: unknown[] = [];
    nodes.drain(session);
    const next = await other.session();
    const undo = client.subscribe("b", () => undefined);
    client.subscribe("c", ({ payload }) => received.push(payload));
    assert.equal((await session.next("subscribe"))["topic"], "b");
    undo.unsubscribe();
    next.hello();
    await until("c is asked", () => next.frames.some(({ topic }) => topic === "c"));
    while (moves.length === 0) {
      const { topic, ref } = await next.next("subscribe");
      const members = topic === "a" ? RECOVERED : { epoch: NEW, time: NODE_TIME };
      next.send({ type: "subscribed", ref, topic, offset: 0, ...members });
      if (topic === "c") await until("moved", () => moves.length === 1);
    }
    next.message("c", 1, "mine");
    await until("received", () => received.length === 1);
    assert.deepEqual(received, ["mine"]);
    assert.deepEqual(errors, []);
  });

  test("shouldRetryWhileTheOldNodeServes", async () => {
    const { session, received } = await nodes.openWithTopic();
    nodes.drain(session);
    (await other.session()).cut();
    session.message("a", 2, "two");
    const own = await old.session();
    await until("the old one serves", () => received.length === 2);
    own.hello({ node: "gw-3" });
    await own.subscribed(9, RECOVERED);
    await until("moved", () => session.closeCode === 1000);
    assert.deepEqual(states, ["open", "draining", "open"]);
  });

  test("shouldNotMoveToTheNodeThatItLeaves", async () => {
    const { session } = await nodes.openWithTopic();
    nodes.drain(session);
    const same = await other.session();
    same.hello();
    await same.subscribed(1, { epoch: OLD, recovered: true });
    await until("it was given up", () => same.closeCode === 1000);
    assert.equal(session.closeCode, undefined);
    await old.session();
  });

  test("shouldAdoptTheNewConnectionIfTheOldOneEnds", async () => {
    const { session, received } = await nodes.openWithTopic();
    nodes.drain(session);
    const next = await other.session();
    next.hello({ node: "gw-2" });
    await next.next("connect");
    next.send({ type: "live" });
    const { ref } = await next.next("subscribe");
    session.close(4100);
    await until("the old one is closed", () => session.closeCode !== undefined);
    next.send({ type: "subscribed", ref, topic: "a", offset: 3, ...RECOVERED, replay: 1 });
    next.message("a", 3, "two", { id: "0000000000000002" });
    await until("a message", () => received.length === 2);
    assert.deepEqual(received, ["one", "two"]);
    assert.equal(other.sessions.length + old.sessions.length, 2);
  });

  test("shouldLeaveAtTheDeadlineIfThereIsNoOtherNode", async () => {
    const { client, session } = await nodes.openWithTopic();
    const deadline = Date.now() + 200;
    session.send({ type: "draining", deadline, url: NOWHERE });
    await until("left", () => session.closeCode === 1000);
    await until("connecting", () => states.includes("connecting"));
    assert.ok(client.state.status === "connecting" && client.state.lastEnd?.code === 4100);
  });

  test("shouldPublishAtTheOldNodeUntilItMovesAndLoseNoAnswer", async () => {
    const { client, session } = await nodes.openWithTopic();
    const before = client.publish("p", "before");
    const first = await session.next("publish");
    nodes.drain(session);
    const next = await other.session();
    next.hello();
    await next.subscribed(0, RECOVERED);
    session.message("a", 2, "still here");
    session.send({ type: "published", ref: first.ref });
    await before;
    const after = client.publish("p", "after");
    // The link depends on which socket was read first.
    await until("it was published", () => session.count("publish") + next.count("publish") === 2);
    const target = next.count("publish") > 0 ? next : session;
    const second = await target.next("publish");
    target.send({ type: "published", ref: second.ref });
    await after;
    await until("moved", () => moves.length === 1);
  });

  test("shouldCloseBothIfTheApplicationClosesIt", async () => {
    const { client, session } = await nodes.openWithTopic();
    nodes.drain(session);
    const next = await other.session();
    next.hello();
    await next.next("subscribe");
    client.close();
    await until("both are closed", () => session.closeCode === 1000 && next.closeCode === 1000);
    assert.equal(client.state.status, "closed");
  });

  test("shouldFollowARedirectOrStay", async () => {
    const { session, received } = await nodes.openWithTopic();
    session.send({ type: "redirect", url: other.url });
    (await other.session()).cut();
    session.message("a", 2, "two");
    await until("it stays", () => received.length === 2);
    session.send({ type: "redirect", url: other.url });
    const next = await other.session();
    next.hello({ node: "gw-2" });
    await next.subscribed(7, RECOVERED);
    await until("moved", () => session.closeCode === 1000 && moves.length === 1);
    assert.deepEqual(states, ["open", "open"]);
  });

  describe("several addresses", () => {
    test("shouldUseTheFirstWorkingAddressAndRestartWithTheFirst", async () => {
      const client = nodes.open({}, [old.url, other.url]);
      (await old.session()).cut();
      const second = await other.session();
      second.hello({ node: "second" });
      await until("open", () => client.state.status === "open");
      second.send({ type: "draining", deadline: Date.now() + 20_000 });
      const first = await old.session();
      first.hello({ node: "first" });
      await until("moved", () => moves.length === 1);
      assert.deepEqual(moves, [{ from: "second", to: "first" }]);
    });

    test("shouldRefuseAnEmptyList", () => {
      assert.throws(() => connect([], { WebSocket }), /url must be a URL/);
    });
  });
});
