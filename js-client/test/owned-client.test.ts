import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { OwnedClient } from "../src/bindings/owned-client.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("owned client", { timeout: 300_000 }, () => {
  let node: ScriptedNode;
  let client: OwnedClient;

  beforeEach(async () => {
    node = await ScriptedNode.start();
    client = new OwnedClient(node.url, { WebSocket, encoding: "json", publishTimeout: 500 });
  });

  afterEach(async () => {
    client.close();
    await node.stop();
  });

  async function holdAndLetGo(): Promise<void> {
    const letGo = client.retain();
    const session = await node.session();
    session.hello();
    await until("it is open", () => client.state.status === "open");
    letGo();
    await until("it is closed", () => session.closeCode === 1000);
    assert.equal(client.state.status, "closed");
  }

  test("shouldOpenOnAnyUseBeforeTheFirstRetain", async () => {
    const published = client.publish("a", "x");
    const session = await node.session();
    session.hello();
    const { ref } = await session.next("publish");
    session.send({ type: "published", ref });
    await published;
  });

  test("shouldRemainClosedUntilTheLastRelease", async () => {
    const letGo = client.retain();
    const session = await node.session();
    session.hello();
    await until("it is open", () => client.state.status === "open");
    client.close();
    await until("it is closed", () => session.closeCode === 1000);
    await assert.rejects(client.publish("a", "x"), isSluiceError("closed"));
    assert.throws(() => client.subscribe("a", () => undefined), isSluiceError("closed"));
    const letGoToo = client.retain();
    letGo();
    await Promise.resolve();
    assert.equal(client.state.status, "closed");
    letGoToo();
    await Promise.resolve();
    assert.equal(node.sessions.length, 1);
    client.retain();
    (await node.session()).hello();
    await until("it is open again", () => client.state.status === "open");
  });

  test("shouldStartAnewForAnotherUser", async () => {
    const changes: unknown[] = [];
    client.retain();
    client.on("identity-changed", (change) => changes.push(change));
    client.subscribe("a", () => undefined);
    const session = await node.session();
    session.hello({ subject: "ann" });
    await session.subscribed(4);
    await until("it is open", () => client.state.status === "open");
    client.updateIdentity("bob");
    client.updateIdentity("bob");
    await until("it has changed", () => changes.length === 1);
    assert.deepEqual(changes, [{ from: "ann", to: undefined }]);
    await until("it is closed", () => session.closeCode === 1000);
    const next = await node.session();
    next.hello({ subject: "bob" });
    assert.equal((await next.subscribed())["from"], undefined);
    assert.equal(changes.length, 1);
  });

  /** Opens a session of Ann. */
  async function openAsAnn(): Promise<ScriptedSession> {
    const options = { WebSocket, encoding: "json", maxBackoff: 20, minBackoff: 5 } as const;
    client = new OwnedClient(node.url, options, "ann");
    client.retain();
    const session = await node.session();
    session.hello({ subject: "ann", features: ["publish-id"] });
    return session;
  }

  /** Opens a session of Ann, and publishes once on it. */
  async function publishAsAnn(): Promise<ScriptedSession> {
    const session = await openAsAnn();
    const published = client.publish("a", "first");
    const { ref } = await session.next("publish");
    session.send({ type: "published", ref });
    await published;
    return session;
  }

  test("shouldSendPublishesOfTheNextUserOnItsSession", async () => {
    const session = await publishAsAnn();
    const unanswered = client.publish("a", "of ann");
    await session.next("publish");
    const repeatable = client.publish("a", "of ann, too", { id: "1" });
    const changed = new Promise((resolve) => client.on("identity-changed", resolve));
    client.updateIdentity("bob");
    const published = [client.publish("a", "1"), client.queue("q").publish("2")];
    const requested = client.request("a", "3", { timeout: 20_000 });
    await changed;
    published.push(client.publish("a", "4"));
    await assert.rejects(unanswered, isSluiceError("connection-lost"));
    await assert.rejects(repeatable, isSluiceError("identity-changed"));
    const next = await node.session();
    published.push(client.publish("a", "5"));
    next.hello({ subject: "bob", features: ["request"] });
    const sent: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const { ref, payload } = await next.next("publish");
      sent.push(payload);
      next.send({ type: "published", ref });
    }
    await Promise.all(published);
    assert.deepEqual(sent, ["1", "2", "4", "5"]);
    // It precedes the later publishes if its module is loaded.
    await until("the request is sent", () => next.count("request") === 1);
    const ref = next.frames.find(({ type }) => type === "request")?.["ref"];
    next.send({ type: "reply", ref, id: "000000000000000f", time: 1, payload: "answer" });
    assert.equal((await requested).payload, "answer");
  });

  const waitingCalls: Record<string, () => Promise<unknown>> = {
    request: () => client.request("a", "of ann", { timeout: 20_000 }),
    browse: () => client.queue("q").browse(),
    durables: () => client.durables(),
    presence: () => client.presence("a", { info: "of ann" }),
    transaction: () =>
      client.transaction((transaction) => {
        transaction.publish("a", "of ann");
      }),
  };
  for (const [name, call] of Object.entries(waitingCalls)) {
    test(`shouldNotSendAsTheNextUserWhatWaitsForItsModule: ${name}`, async () => {
      await publishAsAnn();
      const ofAnn = call();
      client.updateIdentity("bob");
      await assert.rejects(ofAnn, isSluiceError("identity-changed"));
    });
  }

  test("shouldSendNoPublishOfTheNextUserAsAnother", async () => {
    await publishAsAnn();
    client.updateIdentity("bob");
    const ofBob = client.publish("a", "1");
    const another = await node.session();
    another.hello({ subject: "carl" });
    await assert.rejects(ofBob, isSluiceError("identity-changed"));
    client.updateIdentity("dan");
    const ofDan = client.publish("a", "2");
    client.updateIdentity("eve");
    const ofEve = client.publish("a", "3");
    await assert.rejects(ofDan, isSluiceError("identity-changed"));
    const next = await node.session();
    next.hello({ subject: "eve" });
    const { ref, payload } = await next.next("publish");
    next.send({ type: "published", ref });
    await ofEve;
    assert.equal(payload, "3");
    assert.equal(another.count("publish"), 0);
  });

  test("shouldSendTheFirstPublishOfTheNextUserOnItsSession", async () => {
    const session = await openAsAnn();
    // The code that watches the identity is not loaded yet.
    await new Promise((resolve) => client.on("hello", resolve));
    client.updateIdentity("bob");
    const published = client.publish("a", "1");
    await until("the session ends", () => session.closeCode === 1000);
    const next = await node.session();
    next.hello({ subject: "bob" });
    const { ref } = await next.next("publish");
    next.send({ type: "published", ref });
    await published;
    assert.equal(session.count("publish"), 0);
  });

  test("shouldCloseAClientUsedAfterTheLastRelease", async () => {
    await holdAndLetGo();
    await assert.rejects(client.publish("a", "x"), isSluiceError("closed"));
    client.subscribe("a", () => undefined);
    await Promise.resolve();
    assert.equal(client.state.status, "closed");
    const ended = (): boolean => node.sessions.every(({ closeCode }) => closeCode !== undefined);
    await until("there are no connections", ended);
  });

  test("shouldKeepAClientUsedRightBeforeTheNextRetain", async () => {
    await holdAndLetGo();
    client.subscribe("a", () => undefined);
    client.retain();
    const session = await node.session();
    session.hello();
    await session.subscribed();
    await until("it is open", () => client.state.status === "open");
  });
});
