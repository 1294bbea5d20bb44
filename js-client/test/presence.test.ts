import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { SluiceError } from "../src/index.js";
import { FEATURES, openAt, type Scene } from "./full-duplex.js";
import { isSluiceError, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

const topic = "room.1";
const ANN = { id: "a", subject: "ann", info: { name: "Ann" } };
const BOB = { id: "b", subject: undefined, info: undefined };

describe("presence", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
  });

  afterEach(() => nodes.stop());

  async function enter({ client, session }: Scene) {
    const opening = client.presence(topic, { info: { name: "Ann" } });
    const frame = await session.next("presence");
    const { ref } = frame;
    session.send({ type: "present", ref, topic, self: "a", count: 1, members: [ANN] });
    return { presence: await opening, frame };
  }

  test("shouldEnterATopicAndFollowItsMembers", async () => {
    const scene = await openAt(nodes);
    const { presence, frame } = await enter(scene);
    assert.match(frame["key"] as string, /^[0-9a-f]{32}$/);
    const { ref, key } = frame;
    const info = { name: "Ann" };
    assert.deepEqual(
      { ...frame },
      { type: "presence", ref, topic, enter: true, watch: true, members: true, key, info },
    );
    assert.deepEqual(
      [presence.count, presence.members, presence.self, presence.live, presence.partial],
      [1, [ANN], "a", true, false],
    );
    const counts: number[] = [];
    const undo = presence.onChange(({ count }) => counts.push(count));
    scene.session.send({ type: "present", topic, count: 2, joined: [{ id: "b" }] });
    await until("joined", () => presence.count === 2);
    assert.deepEqual(presence.members, [ANN, BOB]);
    scene.session.send({ type: "present", topic, count: 500, truncated: true, partial: true });
    await until("truncated", () => presence.partial);
    assert.equal(presence.members, undefined);
    scene.session.send({ type: "present", topic, count: 1, members: [ANN] });
    scene.session.send({ type: "present", topic, count: 0, left: ["a"] });
    await until("left", () => presence.count === 0);
    assert.deepEqual(presence.members, []);
    undo();
    scene.session.send({ type: "present", topic, count: 3 });
    await until("changed", () => presence.count === 3);
    assert.deepEqual(counts, [2, 500, 1, 0]);
  });

  test("shouldUpdateAndLeave", async () => {
    const scene = await openAt(nodes);
    const { presence, frame } = await enter(scene);
    presence.update("away");
    const { info, key } = await scene.session.next("presence");
    assert.deepEqual([info, key], ["away", frame["key"]]);
    presence.leave();
    presence.leave();
    assert.equal((await scene.session.next("leave"))["topic"], topic);
    scene.session.send({ type: "left", topic });
    const again = scene.client.presence(topic, { enter: false, members: false });
    const query = await scene.session.next("presence");
    assert.deepEqual({ ...query }, { type: "presence", ref: query.ref, topic, watch: true });
    scene.session.send({ type: "present", ref: query.ref, topic, count: 7 });
    const { count, members, self } = await again;
    assert.deepEqual([count, members, self], [7, undefined, undefined]);
    assert.equal(scene.session.count("leave"), 1);
  });

  test("shouldShareTheTopicBetweenCalls", async () => {
    const scene = await openAt(nodes);
    const { presence } = await enter(scene);
    const watching = await scene.client.presence(topic, { enter: false });
    assert.deepEqual([watching.count, watching.self], [1, undefined]);
    assert.equal(scene.session.count("presence"), 1);
    presence.leave();
    const { ref, enter: enters } = await scene.session.next("presence");
    assert.equal(enters, undefined);
    scene.session.send({ type: "present", ref, topic, count: 0, members: [] });
    await until("left", () => watching.count === 0);
    watching.leave();
    await scene.session.next("leave");
  });

  test("shouldEnterAgainWithItsKeyAfterAReconnect", async () => {
    const scene = await openAt(nodes);
    const { presence, frame } = await enter(scene);
    const lives: boolean[] = [];
    presence.onChange(({ live }) => lives.push(live));
    scene.session.close(4100);
    await until("lost", () => !presence.live);
    const session = await nodes.old.session();
    session.hello({ features: FEATURES });
    const again = await session.next("presence");
    assert.equal(again["key"], frame["key"]);
    session.send({ type: "present", ref: again.ref, topic, self: "a", count: 1, members: [ANN] });
    await until("live", () => presence.live);
    assert.deepEqual(lives, [false, true]);
  });

  test("shouldRejectWhatTheNodeRefuses", async () => {
    const { client, session } = await openAt(nodes);
    const opening = client.presence(topic);
    const { ref } = await session.next("presence");
    session.send({ type: "error", ref, code: "forbidden", message: "no", topic });
    await assert.rejects(opening, isSluiceError("forbidden"));
    await assert.rejects(client.presence("room.*"), isSluiceError("invalid-argument"));
    client.close();
    await assert.rejects(client.presence(topic), isSluiceError("closed"));
  });

  test("shouldReportALaterError", async () => {
    const scene = await openAt(nodes);
    const errors: SluiceError[] = [];
    scene.client.on("error", (error) => errors.push(error));
    const { presence, frame } = await enter(scene);
    scene.session.send({ type: "error", ref: frame.ref, code: "forbidden", message: "no", topic });
    await until("reported", () => errors.length === 1);
    assert.deepEqual([errors[0]?.code, presence.live], ["forbidden", false]);
  });

  test("shouldRejectWithoutTheFeature", async () => {
    const { client } = await openAt(nodes, []);
    await assert.rejects(client.presence(topic), isSluiceError("unsupported"));
  });

  test("shouldLeaveWhenItsSignalIsAborted", async () => {
    const { client, session } = await openAt(nodes);
    const leaving = new AbortController();
    const opening = client.presence(topic, { signal: leaving.signal });
    const { ref } = await session.next("presence");
    leaving.abort();
    session.send({ type: "present", ref, topic, self: "a", count: 1, members: [ANN] });
    await opening;
    await session.next("leave");
  });
});
