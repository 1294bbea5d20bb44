import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { WebSocket } from "ws";
import {
  connect,
  LoggedOut,
  type ClientEvents,
  type ConnectOptions,
  type Gap,
  type Message,
  type Client,
  type SluiceError,
} from "../src/index.js";
import { subjectOf } from "../src/engine/subject.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, LeapingClock, until } from "./support.js";

const LIFE_MS = 100_000;
const POSITION = { epoch: "1f0a6c2b9d3e4f58", offset: 3, since: 1 };

/** Returns an unsigned JWT of a user. */
function jwt(sub: string, claims: object = {}): string {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode({ sub, ...claims })}.`;
}

describe("identity", { timeout: 300_000 }, () => {
  let node: ScriptedNode;
  let clock: LeapingClock;
  let clients: Client[];
  let errors: SluiceError[];
  let changes: ClientEvents["identity-changed"][];
  let gaps: Gap[];
  let token: string | Error;
  let asked: number;

  beforeEach(async () => {
    node = await ScriptedNode.start();
    clock = new LeapingClock();
    clients = [];
    errors = [];
    changes = [];
    gaps = [];
    token = jwt("ann");
    asked = 0;
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await node.stop();
  });

  function open(options: ConnectOptions = {}, url = node.url): Client {
    const client = connect(url, {
      WebSocket,
      clock,
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      publishTimeout: 10 * LIFE_MS,
      random: () => 0.5,
      transports: ["websocket"],
      token: () => {
        asked++;
        if (token instanceof Error) throw token;
        return token;
      },
      ...options,
    });
    client.on("error", (error) => errors.push(error));
    client.on("identity-changed", (change) => changes.push(change));
    client.on("gap", (gap) => gaps.push(gap));
    clients.push(client);
    return client;
  }

  /** Accepts the next connection as a subject. */
  async function accept(
    client: Client,
    subject?: string,
    from: { session(): Promise<ScriptedSession> } = node,
  ): Promise<ScriptedSession> {
    const session = await from.session();
    await session.next("connect");
    const time = clock.now();
    const features = ["publish-id"];
    session.hello({ time, expires: time + LIFE_MS, subject, pingInterval: LIFE_MS, features });
    await until("it is open", () => client.state.status === "open");
    await import("../src/engine/session-watch.js");
    await turn();
    return session;
  }

  /** Refreshes the credential of the open session. */
  function refresh(): void {
    clock.leap(0.86 * LIFE_MS);
  }

  for (const subject of ["ann", undefined]) {
    test(`shouldNotContinueASessionWithATokenOfAnotherSubject ${String(subject)}`, async () => {
      const client = open();
      const received: Message[] = [];
      const stocks = client.subscribe("stocks.7", (message) => received.push(message), {
        from: "snapshot",
      });
      const session = await accept(client, subject);
      await session.subscribed();
      session.message("stocks.7", 1, "of ann");
      await until("it is received", () => received.length === 1);
      const published = client.publish("orders", "buy");
      await session.next("publish");
      const lasting = client.publish("orders", "sell", { id: "1" });
      await session.next("publish");
      token = jwt("bob");
      refresh();
      await assert.rejects(published);
      await assert.rejects(lasting, isSluiceError("identity-changed"));
      await until("the session ends", () => session.closeCode === 1000);
      assert.equal(session.count("refresh"), 0);
      assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
      assert.equal(stocks.position, undefined);
      const next = await accept(client, subject && "bob");
      assert.equal((await next.subscribed())["from"], "snapshot");
      next.message("stocks.7", 1, "of bob");
      await until("it is received", () => received.length === 2);
      assert.equal(received[1]?.gapBefore, "identity-changed");
      assert.deepEqual(gaps, [{ topic: "stocks.7", reason: "identity-changed" }]);
      assert.equal(next.count("publish"), 0);
      assert.deepEqual(errors, []);
    });
  }

  test("shouldSendNoPositionAndNoPublishOfAnotherSubjectAfterALoss", async () => {
    const client = open();
    client.subscribe("stocks.7", () => undefined);
    const session = await accept(client, "ann");
    await session.subscribed(4);
    await until("live", () => gaps.length === 0 && client.state.status === "open");
    token = jwt("bob");
    session.cut();
    await until("lost", () => client.state.status === "connecting");
    const published = client.publish("orders", "buy");
    await assert.rejects(published, isSluiceError("identity-changed"));
    // The connection that was being opened is closed without a frame.
    const unused = await node.session();
    await until("it is closed", () => unused.closeCode === 1000);
    assert.deepEqual(unused.frames, []);
    const next = await accept(client, "bob");
    assert.equal((await next.next("subscribe"))["from"], undefined);
    assert.equal(next.count("publish"), 0);
    assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
  });

  test("shouldNotUseAStoredPositionForAnotherSubject", async () => {
    const client = open();
    client.subscribe("stocks.7", () => undefined, { from: POSITION });
    const session = await accept(client, "ann");
    assert.deepEqual((await session.next("subscribe"))["from"], POSITION);
    token = jwt("bob");
    session.cut();
    await node.session();
    const next = await accept(client, "bob");
    assert.equal((await next.next("subscribe"))["from"], "snapshot");
  });

  test("shouldEndTheSessionOfAnOpaqueTokenOfAnotherSubject", async () => {
    token = "opaque-1";
    const client = open();
    client.subscribe("stocks.7", () => undefined);
    const session = await accept(client, "ann");
    await session.subscribed(4);
    token = "opaque-2";
    refresh();
    const { ref } = await session.next("refresh");
    session.send({ type: "error", ref, code: "unauthorized", message: "of another client" });
    const published = client.publish("orders", "buy", { id: "1" });
    await session.next("publish");
    session.close(4200, "unauthorized");
    const other = await node.session();
    await other.next("connect");
    other.hello({ subject: "bob", features: ["publish-id"] });
    await assert.rejects(published, isSluiceError("identity-changed"));
    await until("it is closed", () => other.closeCode === 1000);
    assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
    const next = await accept(client, "bob");
    assert.equal((await next.next("subscribe"))["from"], undefined);
    assert.equal(other.count("publish") + next.count("publish"), 0);
  });

  test("shouldEndAnAnonymousSessionAtLogin", async () => {
    token = "";
    const client = open();
    const session = await accept(client, "");
    token = jwt("ann");
    refresh();
    await until("the session ends", () => session.closeCode === 1000);
    await accept(client, "ann");
    token = "";
    refresh();
    await accept(client, "");
    assert.deepEqual(changes, [
      { from: "", to: "ann" },
      { from: "ann", to: "" },
    ]);
  });

  test("shouldContinueIfTheNodeUsesAnotherClaim", async () => {
    token = jwt("17");
    const client = open();
    const session = await accept(client, "ann@example.com");
    token = jwt("18");
    refresh();
    const { ref } = await session.next("refresh");
    session.send({ type: "refreshed", ref, expires: clock.now() + LIFE_MS });
    session.cut();
    await accept(client, "ann@example.com");
    assert.deepEqual(changes, []);
  });

  test("shouldDropLoopMessagesOfThePreviousSubject", async () => {
    const client = open();
    const loop = client.messages("stocks.7", { from: "snapshot" });
    const first = loop.next();
    const session = await accept(client, "ann");
    await session.subscribed();
    for (const offset of [1, 2, 3]) session.message("stocks.7", offset, `ann ${String(offset)}`);
    assert.equal((await first).value?.payload, "ann 1");
    let count = 0;
    client.subscribe("stocks.7", () => count++);
    session.message("stocks.7", 4, "ann 4");
    await until("all are received", () => count === 1);
    token = jwt("bob");
    refresh();
    const next = await accept(client, "bob");
    await next.subscribed();
    next.message("stocks.7", 1, "bob 1");
    assert.equal((await loop.next()).value?.payload, "bob 1");
    await loop.return();
  });

  test("shouldNotMoveToASessionOfAnotherSubject", async () => {
    const other = await ScriptedNode.start();
    try {
      token = "opaque-1";
      const client = open();
      client.subscribe("stocks.7", () => undefined);
      const session = await accept(client, "ann");
      await session.subscribed(4);
      session.send({ type: "draining", deadline: clock.now() + LIFE_MS, url: other.url });
      const candidate = await other.session();
      await candidate.subscribed(4, { recovered: true, epoch: "2f0a6c2b9d3e4f58" });
      candidate.hello({ subject: "bob" });
      await until("both sessions end", () => {
        return session.closeCode === 1000 && candidate.closeCode === 1000;
      });
      assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
      const next = await accept(client, "bob");
      assert.equal((await next.next("subscribe"))["from"], undefined);
    } finally {
      await other.stop();
    }
  });

  test("shouldClearThePresenceOfThePreviousSubject", async () => {
    const client = open();
    const opening = client.presence("room.1", { info: "Ann", onError: () => undefined });
    const session = await node.session();
    await session.next("connect");
    const time = clock.now();
    session.hello({ time, expires: time + LIFE_MS, subject: "ann", features: ["presence"] });
    const { ref } = await session.next("presence");
    session.send({ type: "present", ref, topic: "room.1", self: "a", count: 1, members: [] });
    const presence = await opening;
    await import("../src/engine/session-watch.js");
    await turn();
    token = jwt("bob");
    refresh();
    await until("it is empty", () => presence.count === 0);
    assert.deepEqual(
      [presence.members, presence.self, presence.live],
      [undefined, undefined, false],
    );
    const next = await node.session();
    await next.next("connect");
    next.hello({ subject: "bob", features: ["presence"] });
    assert.equal((await next.next("presence"))["info"], undefined);
  });

  test("shouldCloseAtLogoutWithOneError", async () => {
    const client = open();
    const session = await accept(client, "ann");
    token = new LoggedOut();
    refresh();
    await until("the session ends", () => session.closeCode === 1000);
    assert.equal(client.state.status, "closed");
    assert.equal(client.state.error?.code, "logged-out");
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["logged-out"],
    );
    const calls = asked;
    clock.leap(LIFE_MS);
    await turn();
    assert.equal(asked, calls);
    assert.equal(node.sessions.length, 1);
    await assert.rejects(client.publish("orders", "buy"), isSluiceError("closed"));
  });

  test("shouldCloseIfThereIsNoUserAtTheStart", async () => {
    token = new LoggedOut("nobody");
    const client = open();
    await until("closed", () => client.state.status === "closed");
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["nobody"],
    );
    assert.equal(asked, 1);
  });

  test("shouldEndAStreamOfAnotherSubject", async () => {
    const gateway = await ScriptedGateway.start();
    try {
      const client = open({ transports: ["http"] }, gateway.url);
      client.subscribe("stocks.7", () => undefined);
      const streams = { session: () => gateway.stream() };
      const stream = await accept(client, "ann", streams);
      await stream.subscribed(4);
      token = jwt("bob");
      refresh();
      const next = await accept(client, "bob", streams);
      assert.equal(stream.count("refresh"), 0);
      assert.equal((await next.next("subscribe"))["from"], undefined);
      assert.deepEqual(changes, [{ from: "ann", to: "bob" }]);
    } finally {
      for (const client of clients) client.close();
      await gateway.stop();
    }
  });

  test("shouldReadSubjectsOfAnyScript", () => {
    assert.equal(subjectOf(jwt("Zoë 中", { exp: 2 })), "Zoë 中");
    assert.equal(subjectOf(""), "");
    for (const text of ["opaque", "a.b.c", jwt("ann").replace(/\./g, "-"), "a.e30.c"]) {
      assert.equal(subjectOf(text), undefined, text);
    }
  });
});
