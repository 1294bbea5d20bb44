import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { OwnedClient } from "../src/owned-client.js";
import { ScriptedNode } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

describe("owned client", { timeout: 30_000 }, () => {
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

  test("shouldCloseAClientUsedAfterTheLastRelease", async () => {
    await holdAndLetGo();
    await assert.rejects(client.publish("a", "x"), isSluiceError("closed"));
    client.subscribe("a", () => undefined);
    await Promise.resolve();
    assert.equal(client.state.status, "connecting");
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
