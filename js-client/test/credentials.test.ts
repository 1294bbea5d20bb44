import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { inspect } from "node:util";
import { WebSocket } from "ws";
import { connect, type ConnectOptions, type Client, type SluiceError } from "../src/index.js";
import { ScriptedGateway, type StreamSession } from "./scripted-gateway.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, LeapingClock, until } from "./support.js";

const TIMEOUT = { timeout: 300_000 };
const LIFE_MS = 100_000;
const DAY_MS = 86_400_000;
const LONG_MS = 2 ** 31 - 1;
const PATIENT = { minBackoff: LONG_MS, maxBackoff: LONG_MS };

/** Token function that returns another token at each call. */
class Tokens {
  asked = 0;
  /** Error of further calls; by default they return a token. */
  failure: Error | undefined;

  readonly give = (): Promise<string> => {
    this.asked++;
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(this.latest);
  };

  get latest(): string {
    return `token ${String(this.asked)}`;
  }
}

/** Waits until the code for refreshing a credential is loaded. */
async function refreshesLoaded(): Promise<void> {
  await import("../src/engine/session-watch.js");
  await turn();
}

describe("credentials", TIMEOUT, () => {
  let marks = 0;
  let tokens: Tokens;
  let clock: LeapingClock;
  let clients: Client[];
  let errors: SluiceError[];
  let statuses: string[];

  beforeEach(() => {
    tokens = new Tokens();
    clock = new LeapingClock();
    clients = [];
    errors = [];
    statuses = [];
  });

  function open(url: string, options: ConnectOptions = {}): Client {
    const client = connect(url, {
      WebSocket,
      clock,
      token: tokens.give,
      encoding: "json",
      minBackoff: 5,
      maxBackoff: 20,
      random: () => 0.5,
      ...options,
    });
    // Those of this test: a closing client may report errors during the next one.
    const own = { errors, statuses };
    client.on("error", (error) => own.errors.push(error));
    client.on("state", ({ status }) => own.statuses.push(status));
    clients.push(client);
    return client;
  }

  const codes = (): string[] => errors.map(({ code }) => code);

  describe("over WebSocket", () => {
    let node: ScriptedNode;

    beforeEach(async () => {
      node = await ScriptedNode.start();
    });

    afterEach(async () => {
      for (const client of clients) client.close();
      await node.stop();
    });

    /** Opens a session whose credential expires. */
    async function openSession(
      lifeMs: number | undefined = LIFE_MS,
      options: ConnectOptions = {},
    ): Promise<{ client: Client; session: ScriptedSession }> {
      const client = open(node.url, { transports: ["websocket"], ...options });
      return { client, session: await hello(client, lifeMs) };
    }

    /** Opens the next session. The node's clock is an hour ahead. */
    async function hello(client: Client, lifeMs: number | undefined): Promise<ScriptedSession> {
      const received = new Promise((resolve) => client.on("hello", resolve));
      const session = await node.session();
      await session.next("connect");
      const time = nodeTime();
      const expires = lifeMs === undefined ? {} : { expires: time + lifeMs };
      session.hello({ time, pingInterval: LONG_MS, session: "scripted-1", ...expires });
      await received;
      await refreshesLoaded();
      return session;
    }

    function nodeTime(): number {
      return clock.now() + 3_600_000;
    }

    test("shouldSendAFreshTokenBeforeExpiry", async () => {
      const { session } = await openSession();
      clock.leap(0.79 * LIFE_MS);
      assert.equal(tokens.asked, 1);
      clock.leap(0.02 * LIFE_MS);
      const { token } = await session.next("refresh");
      assert.deepEqual([token, tokens.asked], ["token 2", 2]);
    });

    for (const life of [2 ** 31, 2 ** 40, 2 ** 53, 1e300]) {
      test(`shouldNeitherStopNorLoopWithAFarExpiry ${String(life)}`, async () => {
        const { client, session } = await openSession(life);
        for (let i = 0; i < 100; i++) clock.leap(Math.min(1_000_000, life / 1_000));
        assert.equal(tokens.asked, 1);
        assert.equal(client.state.status, "open");
        if (life > 2 ** 40) return;
        clock.leap(0.86 * life);
        await session.next("refresh");
        assert.equal(tokens.asked, 2);
      });
    }

    test("shouldSpreadTheRefreshesOfClients", async () => {
      await openSession(LIFE_MS, { random: () => 0 });
      clock.leap(0.76 * LIFE_MS);
      assert.equal(tokens.asked, 2);
    });

    test("shouldUseTheLatestExpiryOfTheNode", async () => {
      const { session } = await openSession();
      for (const token of ["token 2", "token 3"]) {
        clock.leap(0.81 * LIFE_MS);
        const { ref, token: shown } = await session.next("refresh");
        assert.equal(shown, token);
        session.send({ type: "refreshed", ref, expires: nodeTime() + LIFE_MS });
        await answered(session);
      }
      assert.deepEqual(errors, []);
      assert.deepEqual(statuses, ["open"]);
    });

    test("shouldStopRefreshingWhenTheNewTokenHasNoExpiry", async () => {
      const { session } = await openSession();
      clock.leap(0.81 * LIFE_MS);
      const { ref } = await session.next("refresh");
      session.send({ type: "refreshed", ref });
      await answered(session);
      clock.leap(DAY_MS);
      assert.equal(tokens.asked, 2);
    });

    test("shouldNotRepeatARequestBeforeItsAnswer", async () => {
      const { session } = await openSession();
      clock.leap(0.81 * LIFE_MS);
      await session.next("refresh");
      session.send({ type: "refreshed", ref: 4_711, expires: nodeTime() });
      await answered(session);
      clock.leap(LIFE_MS);
      assert.equal(tokens.asked, 2);
    });

    test("shouldNotCallTheTokenFunctionWhileItIsPending", async () => {
      let asked = 0;
      const token = (): string | Promise<string> =>
        ++asked === 1 ? "token 1" : new Promise<string>(() => undefined);
      await openSession(LIFE_MS, { token });
      clock.leap(0.81 * LIFE_MS);
      clock.leap(LIFE_MS);
      assert.equal(asked, 2);
    });

    test("shouldRetryUntilExpiryWhenATokenIsRefused", async () => {
      const { session } = await openSession();
      clock.leap(0.8 * LIFE_MS);
      let waited = 0;
      for (let wait = 500; waited + wait < 0.2 * LIFE_MS; wait *= 2) {
        const { ref } = await session.next("refresh");
        session.send({ type: "error", ref, code: "unauthorized", message: "no such key" });
        await answered(session);
        clock.leap(wait);
        waited += wait;
      }
      assert.ok(session.count("refresh") >= 5, String(session.count("refresh")));
      const { ref } = await session.next("refresh");
      session.send({ type: "error", ref, code: "unauthorized", message: "no such key" });
      await answered(session);
      const { asked } = tokens;
      clock.leap(LIFE_MS);
      assert.equal(tokens.asked, asked);
      assert.equal(errors.at(-1)?.message, "no such key");
      // Repetitions are counted instead of reported.
      assert.deepEqual(codes(), ["unauthorized"]);
      assert.equal(asked, session.count("refresh") + 1);
      assert.deepEqual(statuses, ["open"]);
    });

    test("shouldReportAFailedTokenRefreshAndRetry", async () => {
      const { session } = await openSession();
      tokens.failure = new Error("no network");
      clock.leap(0.81 * LIFE_MS);
      await until("the failure is reported", () => errors.length === 1);
      assert.deepEqual(codes(), ["no-token"]);
      assert.equal(errors[0]?.cause, tokens.failure);
      tokens.failure = undefined;
      clock.leap(500);
      assert.equal((await session.next("refresh"))["token"], "token 3");
      assert.deepEqual(statuses, ["open"]);
    });

    test("shouldNotLoopWithTokensThatExpireAtOnce", async () => {
      await openSession(-5_000);
      clock.leap(900);
      assert.equal(tokens.asked, 1);
      clock.leap(100);
      assert.equal(tokens.asked, 2);
    });

    test("shouldRefreshTokensThatExpireAfterWeeks", async () => {
      const { session } = await openSession(40 * DAY_MS);
      clock.leap(30 * DAY_MS);
      assert.equal(tokens.asked, 1);
      await answered(session); // heartbeat
      clock.leap(8 * DAY_MS);
      assert.equal(tokens.asked, 2);
    });

    test("shouldNotRefreshATokenWithoutExpiry", async () => {
      const client = open(node.url, { transports: ["websocket"] });
      const session = await node.session();
      session.hello({ pingInterval: LONG_MS });
      await until("open", () => client.state.status === "open");
      await refreshesLoaded();
      clock.leap(30 * DAY_MS);
      assert.equal(tokens.asked, 1);
    });

    test("shouldNotRefreshAStaticToken", async () => {
      const { session } = await openSession(LIFE_MS, { token: "s3cret" });
      clock.leap(0.81 * LIFE_MS);
      await answered(session);
      assert.equal(session.count("refresh"), 0);
    });

    test("shouldRequestNoTokenAfterClose", async () => {
      const { client } = await openSession();
      client.close();
      clock.leap(LIFE_MS);
      assert.equal(tokens.asked, 1);
    });

    test("shouldEndOnlyTheSubscriptionsThatTheNewTokenForbids", async () => {
      const { client, session } = await openSession();
      const received: unknown[] = [];
      const refused: string[] = [];
      client.subscribe("open", ({ payload }) => received.push(payload));
      await session.subscribed();
      client.subscribe("secret", {
        onMessage: () => undefined,
        onError: (e) => refused.push(e.code),
      });
      const { ref: subscribed } = await session.subscribed();
      clock.leap(0.81 * LIFE_MS);
      const { ref } = await session.next("refresh");
      session.send({ type: "refreshed", ref, expires: nodeTime() + LIFE_MS });
      const why = { code: "forbidden", message: "not to this client", topic: "secret" };
      session.send({ type: "error", ref: subscribed, ...why });
      session.message("open", 1, "still here");
      await until("a message", () => received.length === 1);
      assert.deepEqual(refused, ["forbidden"]);
    });

    test("shouldReconnectAtOnceWithAFreshTokenAfterExpiry", async () => {
      const { client, session } = await openSession(LIFE_MS, PATIENT);
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload));
      await session.subscribed(1);
      session.message("a", 2, "before");
      await until("a message", () => received.length === 1);
      tokens.failure = new Error("no network");
      clock.leap(LIFE_MS);
      await until("the failure is reported", () => errors.length === 1);
      tokens.failure = undefined;
      session.close(4201, "expired");
      const next = await hello(client, LIFE_MS);
      assert.equal(next.frames[0]?.["token"], "token 3");
      const { from } = await next.next("subscribe");
      assert.equal((from as { readonly offset: number }).offset, 2);
      assert.deepEqual(statuses, ["open"]);
    });

    for (const code of [4200, 4201]) {
      test(`shouldTryOneFreshTokenAfterARefusalWith ${String(code)}`, async () => {
        const client = open(node.url, { transports: ["websocket"] });
        (await refuse("the key is unknown")).close(code);
        const session = await node.session();
        assert.equal((await session.next("connect"))["token"], "token 2");
        session.send({ type: "error", code: "unauthorized", message: "the key is still unknown" });
        session.close(code, "unauthorized");
        await until("closed", () => client.state.status === "closed");
        assert.ok(client.state.status === "closed");
        assert.equal(client.state.error?.code, "unauthorized");
        assert.equal(client.state.error.message, "the key is still unknown");
        assert.deepEqual(errors, [client.state.error]);
        assert.throws(() => client.subscribe("a", () => undefined), isSluiceError("closed"));
      });

      test(`shouldCloseAtOnceWithoutATokenFunctionAfter ${String(code)}`, async () => {
        const client = open(node.url, { transports: ["websocket"], token: "s3cret" });
        (await refuse("the key is unknown")).close(code);
        await until("closed", () => client.state.status === "closed");
        assert.deepEqual(codes(), ["unauthorized"]);
        assert.equal(errors[0]?.message, "the key is unknown");
        assert.equal(node.sessions.length, 1);
      });
    }

    test("shouldTryAFreshTokenAgainAfterOneWasAccepted", async () => {
      const client = open(node.url, { transports: ["websocket"] });
      for (let i = 1; i <= 3; i++) {
        (await refuse("no")).close(4200);
        const session = await hello(client, undefined);
        assert.equal(session.frames[0]?.["token"], `token ${String(2 * i)}`);
        session.cut();
      }
      assert.deepEqual(errors, []);
    });

    test("shouldBackOffIfSessionsEndAtOnce", async () => {
      const { client, session } = await openSession(LIFE_MS, {
        ...PATIENT,
      });
      session.close(4201);
      await until("lost", () => client.state.status === "connecting");
      assert.ok(client.state.status === "connecting");
      assert.ok((client.state.retryAt ?? 0) - clock.now() > LONG_MS / 3);
    });

    test("shouldCloseWhenTheCredentialIsRevoked", async () => {
      const { client, session } = await openSession();
      session.close(4204, "an operator has ended the session");
      await until("closed", () => client.state.status === "closed");
      assert.deepEqual(codes(), ["refused"]);
      assert.match(errors[0]?.message ?? "", /4204: an operator/);
      assert.equal(tokens.asked, 1);
    });

    for (const code of [1013, 4002, 4003]) {
      test(`shouldTryAgainLaterAfter ${String(code)}`, async () => {
        const client = open(node.url, {
          transports: ["websocket"],
          ...PATIENT,
        });
        (await refuse("nobody could be asked")).close(code);
        await until(
          "waiting",
          () => client.state.status === "connecting" && client.state.failures > 0,
        );
        assert.ok(client.state.status === "connecting");
        assert.equal(client.state.lastEnd?.code, code);
        assert.ok((client.state.retryAt ?? 0) - clock.now() > LONG_MS / 3);
        client.retryNow();
        await hello(client, LIFE_MS);
        assert.deepEqual(errors, []);
      });
    }

    test("shouldNotReportAnOldRefusalForALaterEnd", async () => {
      const client = open(node.url, { transports: ["websocket"] });
      (await refuse("nobody could be asked")).close(4002);
      (await node.session()).close(4203, "too many errors");
      await until("closed", () => client.state.status === "closed");
      assert.deepEqual(codes(), ["refused"]);
      assert.match(errors[0]?.message ?? "", /too many errors/);
    });

    test("shouldReportATokenThatIsNoString", async () => {
      let asked = 0;
      open(node.url, {
        transports: ["websocket"],
        token: () => (++asked === 1 ? (undefined as unknown as string) : "second"),
      });
      await node.session();
      const session = await node.session();
      assert.equal((await session.next("connect"))["token"], "second");
      assert.deepEqual(codes(), ["no-token"]);
      assert.match(String(errors[0]?.cause), /a string, not undefined/);
    });

    for (const token of ["s3cret", (): string => "s3cret"]) {
      test(`shouldNotExposeItsToken, a ${typeof token}`, async () => {
        const { client } = await openSession(LIFE_MS, { token });
        const shown = inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client);
        assert.doesNotMatch(shown, /s3cret/);
      });
    }

    /** Refuses the credential of the next session without closing it. */
    async function refuse(message: string): Promise<ScriptedSession> {
      const session = await node.session();
      await session.next("connect");
      session.send({ type: "error", code: "unauthorized", message });
      return session;
    }

    /** Waits until the client has read everything that was sent. */
    async function answered(session: ScriptedSession): Promise<void> {
      const [client] = clients;
      assert.ok(client);
      // Each mark has another code, because repeated errors are not reported.
      const code = `mark-${String(marks++)}`;
      session.send({ type: "error", code, message: "mark" });
      await until("the mark is reported", () => errors.at(-1)?.code === code);
      errors.pop();
    }
  });

  describe("over HTTP", () => {
    let gateway: ScriptedGateway;

    beforeEach(async () => {
      gateway = await ScriptedGateway.start();
      gateway.passage = "refused";
    });

    afterEach(async () => {
      for (const client of clients) client.close();
      await gateway.stop();
    });

    async function openStream(): Promise<{
      client: Client;
      stream: StreamSession;
      received: unknown[];
    }> {
      const client = open(gateway.url);
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload));
      const stream = await gateway.stream();
      await hello(client, stream);
      await stream.subscribed(1);
      await until("open", () => client.state.status === "open");
      statuses.length = 0;
      return { client, stream, received };
    }

    async function hello(client: Client, stream: StreamSession): Promise<void> {
      const reported = new Promise((resolve) => client.on("hello", resolve));
      const time = clock.now();
      stream.hello({ time, expires: time + LIFE_MS, pingInterval: LONG_MS });
      await reported;
      await refreshesLoaded();
    }

    /** Waits until the subscription is answered and data has arrived. */
    async function isLive(stream: StreamSession, received: unknown[], offset = 2): Promise<void> {
      stream.message("a", offset, "live");
      await until("a message", () => received.length > 0);
    }

    test("shouldStartTheNextStreamWithAFreshTokenBeforeExpiry", async () => {
      const { client, stream, received } = await openStream();
      await isLive(stream, received);
      const { asked } = tokens;
      clock.leap(0.81 * LIFE_MS);
      const next = await gateway.stream();
      assert.equal(tokens.asked, asked + 1, "it is asked once for one stream");
      assert.equal(next.frames[0]?.["token"], tokens.latest);
      assert.equal((next.frames[1]?.["from"] as { readonly offset: number }).offset, 2);
      await hello(client, next);
      clock.leap(0.81 * LIFE_MS);
      assert.equal((await gateway.stream()).frames[0]?.["token"], tokens.latest);
      assert.deepEqual(statuses, []);
      assert.deepEqual(errors, []);
    });

    test("shouldNotSendAnOutdatedToken", async () => {
      const { client, stream, received } = await openStream();
      await isLive(stream, received);
      clock.leap(0.81 * LIFE_MS);
      const next = await gateway.stream();
      const reported = new Promise((resolve) => client.on("hello", resolve));
      next.hello({ pingInterval: LONG_MS });
      await next.subscribed(2);
      await reported;
      const { asked } = tokens;
      client.subscribe("c", () => undefined);
      assert.equal((await gateway.stream()).frames[0]?.["token"], `token ${String(asked + 1)}`);
    });

    test("shouldKeepTheStreamWhenTheFunctionFails", async () => {
      const { stream, received } = await openStream();
      await isLive(stream, received);
      const requests = gateway.requests;
      tokens.failure = new Error("no network");
      clock.leap(0.81 * LIFE_MS);
      await until("the failure is reported", () => errors.length === 1);
      received.length = 0;
      await isLive(stream, received, 3);
      assert.equal(gateway.requests, requests);
      tokens.failure = undefined;
      clock.leap(500);
      assert.equal((await gateway.stream()).frames[0]?.["token"], tokens.latest);
      assert.deepEqual(statuses, []);
    });

    test("shouldRenewAtOnceWhenTheTokenHasExpired", async () => {
      const { stream, received } = await openStream();
      await isLive(stream, received);
      tokens.failure = new Error("no network");
      clock.leap(LIFE_MS);
      await until("the failure is reported", () => errors.length === 1);
      tokens.failure = undefined;
      stream.close(4201, "expired");
      const next = await gateway.stream();
      assert.equal(next.frames[0]?.["token"], tokens.latest);
      assert.deepEqual(statuses, []);
    });

    test("shouldReportNotSentAfterTokenExpiry", async () => {
      const { client } = await openStream();
      const publish = client.publish("b", "x");
      const exchange = await gateway.publishRequest();
      exchange.send({ type: "error", code: "unauthorized", message: "expired" });
      exchange.close(4201, "expired");
      await assert.rejects(publish, isSluiceError("not-sent"));
      assert.equal((await gateway.stream()).frames[0]?.["token"], tokens.latest);
    });

    test("shouldNotReportThatAfterAHello", async () => {
      const { client } = await openStream();
      const publish = client.publish("b", "x");
      const exchange = await gateway.publishRequest();
      exchange.hello();
      exchange.close(4201, "expired");
      await assert.rejects(publish, isSluiceError("connection-lost"));
    });

    test("shouldCloseAfterTheSecondRefusal", async () => {
      const client = open(gateway.url);
      client.subscribe("a", () => undefined);
      for (const message of ["no", "no again"]) {
        const stream = await gateway.stream();
        stream.send({ type: "error", code: "unauthorized", message });
        stream.close(4200, "unauthorized");
      }
      await until("closed", () => client.state.status === "closed");
      assert.deepEqual(
        errors.map(({ code, message }) => [code, message]),
        [["unauthorized", "no again"]],
      );
    });
  });
});

describe("refused subscriptions", () => {
  let node: ScriptedNode;
  let client: Client | undefined;

  beforeEach(async () => {
    node = await ScriptedNode.start();
  });

  afterEach(async () => {
    client?.close();
    await node.stop();
  });

  async function refuse(code: string): Promise<[LeapingClock, ScriptedSession, string[]]> {
    const clock = new LeapingClock(500);
    client = connect(node.url, {
      WebSocket,
      clock,
      token: () => "token",
      transports: ["websocket"],
      random: () => 0.5,
    });
    const session = await node.session();
    await session.next("connect");
    session.hello({ expires: Date.now() + 100_000 });
    const states: string[] = [];
    client.subscribe("a", {
      onMessage: () => undefined,
      onState: ({ status }) => states.push(status),
      onError: () => undefined,
    });
    const { ref } = await session.next("subscribe");
    await session.next("ping"); // the code for refreshes is loaded
    session.send({ type: "error", ref, code, message: "no" });
    await until("refused", () => states.includes("refused"));
    return [clock, session, states];
  }

  test("shouldBeRequestedAgainWithAnotherCredential", async () => {
    const [clock, session, states] = await refuse("forbidden");
    clock.leap(80_100);
    const { ref } = await session.next("refresh");
    assert.equal(session.count("subscribe"), 1);
    session.send({ type: "refreshed", ref, expires: Date.now() + 200_000 });
    await session.subscribed();
    await until("live", () => states.at(-1) === "live");
  });

  test("shouldBeRequestedAgainLaterAfterAQuota", async () => {
    const [clock, session, states] = await refuse("too-many-subscriptions");
    await until("scheduled", () => clock.hasTimer(500));
    clock.leap(500);
    await session.subscribed();
    await until("live", () => states.at(-1) === "live");
  });

  test("shouldBeRequestedAgainByTheNextConnection", async () => {
    const [clock, session, states] = await refuse("forbidden");
    session.cut();
    await until("lost", () => client?.state.status === "connecting");
    clock.leap(500);
    const next = await node.session();
    next.hello();
    await next.subscribed();
    await until("live", () => states.at(-1) === "live");
  });
});
