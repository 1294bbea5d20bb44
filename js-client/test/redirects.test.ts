import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../src/index.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";
import { NOWHERE, RECOVERED, TwoNodes } from "./two-nodes.js";

/** WebSocket that rejects this port, as a browser rejects a forbidden one. */
const NO_PORT = "ws://127.0.0.1:2/ws";

class RestrictedWebSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    if (url === NO_PORT) throw new SyntaxError("not this one");
    // As behind a proxy that terminates TLS.
    super(url.replace(/^wss/, "ws"), protocols);
  }
}

describe("addresses named by nodes", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;
  let old: ScriptedNode;
  let other: ScriptedNode;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
    ({ old, other } = nodes);
  });

  afterEach(() => nodes.stop());

  function codes(): string[] {
    return nodes.errors.map(({ code }) => code);
  }

  describe("before hello", () => {
    /** Redirects a session; returns the client's connect frame. */
    async function redirectTo(session: ScriptedSession, url: string): Promise<unknown> {
      const { redirect, redirected } = await session.next("connect");
      session.send({ type: "redirect", url });
      session.close(4101, "redirected");
      return { redirect, redirected };
    }

    test("shouldFollowOnlyOneRedirect", async () => {
      const client = nodes.open();
      await redirectTo(await old.session(), other.url);
      const connected = await redirectTo(await other.session(), old.url);
      assert.deepEqual(connected, { redirect: true, redirected: true });
      const own = await old.session();
      assert.equal((await own.next("connect"))["redirected"], true);
      own.hello();
      await until("open", () => client.state.status === "open");
      assert.deepEqual(nodes.errors, []);
    });

    test("shouldFollowARedirectToADeadAddressOnce", async () => {
      const client = nodes.open();
      await redirectTo(await old.session(), NOWHERE);
      const connected = await redirectTo(await old.session(), other.url);
      assert.deepEqual(connected, { redirect: true, redirected: true });
      (await old.session()).hello();
      await until("open", () => client.state.status === "open");
      assert.equal(other.sessions.length, 0);
    });

    test("shouldFollowAnotherRedirectAfterAHello", async () => {
      const client = nodes.open();
      await redirectTo(await old.session(), NOWHERE);
      const session = await old.session();
      session.hello();
      await until("open", () => client.state.status === "open");
      session.cut();
      const connected = await redirectTo(await old.session(), other.url);
      assert.deepEqual(connected, { redirect: true, redirected: undefined });
      await other.session();
    });

    test("shouldNotFollowAForbiddenRedirect", async () => {
      nodes.open({ redirect: false });
      const connected = await redirectTo(await old.session(), other.url);
      assert.deepEqual(connected, { redirect: undefined, redirected: undefined });
      await old.session();
      assert.equal(other.sessions.length, 0);
    });

    for (const url of [
      "http://127.0.0.1/ws",
      "ws://",
      "nowhere",
      `${NOWHERE}#part`,
      `${NOWHERE}#`,
    ]) {
      test(`shouldReportAnInvalidAddress ${url}`, async () => {
        const client = nodes.open();
        await redirectTo(await old.session(), url);
        (await old.session()).hello();
        await until("open", () => client.state.status === "open");
        assert.deepEqual(codes(), ["bad-answer"]);
      });
    }

    test("shouldNotRepeatAForbiddenRedirect", async () => {
      const encrypted = old.url.replace("ws", "wss");
      nodes.open({ WebSocket: RestrictedWebSocket }, [encrypted]);
      await redirectTo(await old.session(), other.url);
      const connected = await redirectTo(await old.session(), other.url);
      assert.deepEqual(connected, { redirect: true, redirected: true });
      assert.equal(other.sessions.length, 0);
    });

    test("shouldReconnectIfThePlatformRejectsTheAddress", async () => {
      const client = nodes.open({ WebSocket: RestrictedWebSocket });
      await redirectTo(await old.session(), NO_PORT);
      const own = await old.session();
      assert.equal((await own.next("connect"))["redirected"], true);
      own.hello();
      await until("open", () => client.state.status === "open");
      assert.deepEqual(codes(), ["bad-answer"]);
      assert.ok(nodes.errors[0]?.message.includes(NO_PORT));
    });

    test("shouldReconnectAtOnceIfTheOtherAddressSentRetryAfter", async () => {
      const [first, second] = [await ScriptedGateway.start(), await ScriptedGateway.start()];
      second.refusal = { status: 503, text: "full", headers: { "retry-after": "60" } };
      const client = connect(first.url, { transports: ["http"], minBackoff: 5, maxBackoff: 20 });
      try {
        const stream = await first.stream();
        stream.send({ type: "redirect", url: second.url });
        const own = await first.stream();
        assert.equal((await own.next("connect"))["redirected"], true);
        own.hello();
        await until("open", () => client.state.status === "open");
        assert.equal(second.requests, 1);
      } finally {
        client.close();
        await Promise.all([first.stop(), second.stop()]);
      }
    });
  });

  describe("with draining", () => {
    for (const url of [`${NOWHERE}#part`, "wss://", "nowhere", NO_PORT]) {
      test(`shouldUseItsOwnAddressInsteadOf ${url}`, async () => {
        const { session } = await nodes.openWithTopic({ WebSocket: RestrictedWebSocket });
        nodes.drain(session, url);
        const own = await old.session();
        own.hello();
        await own.subscribed(9, RECOVERED);
        await until("moved", () => nodes.moves.length === 1);
        assert.deepEqual(codes(), ["bad-answer"]);
      });
    }

    test("shouldFollowARedirectToADeadAddressOnce", async () => {
      const { session } = await nodes.openWithTopic();
      nodes.drain(session, NOWHERE);
      const own = await old.session();
      assert.equal((await own.next("connect"))["redirected"], true);
      own.send({ type: "redirect", url: other.url });
      own.hello();
      await own.subscribed(9, RECOVERED);
      await until("moved", () => nodes.moves.length === 1);
      assert.equal(other.sessions.length, 0);
    });

    test("shouldNotRepeatAForbiddenRedirect", async () => {
      const { session } = await nodes.openWithTopic();
      session.send({ type: "draining", deadline: Date.now() + 20_000 });
      const first = await old.session();
      assert.equal((await first.next("connect"))["redirected"], undefined);
      first.send({ type: "redirect", url: "nowhere" });
      first.close(4101, "redirected");
      const second = await old.session();
      assert.equal((await second.next("connect"))["redirected"], true);
      second.hello();
      await second.subscribed(9, RECOVERED);
      await until("moved", () => nodes.moves.length === 1);
    });

    test("shouldIgnoreARedirectFromWssToWs", async () => {
      const third = await ScriptedNode.start();
      const encrypted = other.url.replace("ws", "wss");
      nodes.open({ WebSocket: RestrictedWebSocket }, [encrypted, old.url]);
      try {
        (await other.session()).cut();
        const session = await old.session();
        session.hello();
        session.send({ type: "draining", deadline: Date.now() + 20_000 });
        const next = await other.session();
        await next.next("connect");
        next.send({ type: "redirect", url: third.url });
        next.hello();
        await until("moved", () => nodes.moves.length === 1);
        assert.equal(third.sessions.length, 0);
        assert.deepEqual(codes(), ["bad-answer"]);
      } finally {
        await third.stop();
      }
    });
  });

  describe("with connect", () => {
    for (const url of ["wss://example.com/ws#part", "wss://example.com/ws#"]) {
      test(`shouldRefuseAFragment ${url}`, () => {
        assert.throws(() => connect(url, { WebSocket }), isSluiceError("invalid-argument"));
      });
    }
  });
});
