import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type ConnectOptions, type Client } from "../src/index.js";
import { ScriptedGateway, type StreamSession } from "./scripted-gateway.js";
import { isSluiceError, LeapingClock, until } from "./support.js";

const WAIT_MS = 10_000;
/** Backoff with a known result after the first failure. */
const HALF = { random: () => 0.5, minBackoff: 4_000, maxBackoff: 4_000 };
const HALF_BACKOFF_MS = 2_000;
const FULL = { status: 503, text: "the node is full", headers: { "retry-after": "10" } };

describe("a node that sends Retry-After", { timeout: 300_000 }, () => {
  let gateway: ScriptedGateway;
  let clock: LeapingClock;
  let client: Client;

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    gateway.passage = "refused";
    clock = new LeapingClock();
  });

  afterEach(async () => {
    client.close();
    await gateway.stop();
  });

  function open(options: ConnectOptions = {}): void {
    const backoff = { minBackoff: 5, maxBackoff: 20 };
    client = connect(gateway.url, { WebSocket, clock, encoding: "json", ...backoff, ...options });
    client.on("error", () => undefined);
  }

  /** Opens a client with one live subscription over HTTP. */
  async function openStream(options: ConnectOptions = {}): Promise<StreamSession> {
    open({ transports: ["http"], ...options });
    client.subscribe("a", () => undefined);
    const stream = await gateway.stream();
    stream.hello();
    await stream.subscribed(1);
    await until("the client is open", () => client.state.status === "open");
    return stream;
  }

  /** Advances the time until the next request; returns the elapsed time. */
  async function timeToNextRequest(): Promise<number> {
    const [begin, before] = [clock.now(), gateway.requests];
    await until("there is a request", () => {
      if (gateway.requests === before) clock.leap(1_000);
      return gateway.requests > before;
    });
    return clock.now() - begin;
  }

  describe("by a stream", () => {
    /** Returns the client's delay after a refusal with this header. */
    async function waitAfter(header: string): Promise<number> {
      gateway.refusal = { ...FULL, headers: { "retry-after": header } };
      const waits: number[] = [];
      open();
      client.on("state", (state) => {
        if (state.status !== "connecting" || !state.lastEnd?.reason.startsWith("HTTP")) return;
        if (state.retryAt !== undefined) waits.push(state.retryAt - clock.now());
      });
      await until("it was refused", () => waits.length > 0);
      return waits[0] ?? NaN;
    }

    test("shouldNotConnectBeforeTheDelay", async () => {
      const wait = await waitAfter("10");
      assert.ok(wait > WAIT_MS - 1_000 && wait <= WAIT_MS + 100, String(wait));
      gateway.refusal = undefined;
      assert.ok((await timeToNextRequest()) >= WAIT_MS - 1_000);
      (await gateway.stream()).hello();
      await until("open", () => client.state.status === "open");
    });

    test("shouldLimitTheRetryAfter", async () => {
      const wait = await waitAfter("99999999");
      assert.ok(wait > 59_000 && wait <= 60_100, String(wait));
    });

    for (const header of ["soon", "-5", "2.5", "1e3", "Wed, 21 Oct 2037 07:28:00 GMT"]) {
      test(`shouldIgnoreTheRetryAfter ${header}`, async () => {
        const wait = await waitAfter(header);
        assert.ok(wait <= 20, String(wait));
      });
    }

    test("shouldConnectAtOnceOnRetryNow", async () => {
      await waitAfter("10");
      const before = gateway.upgrades;
      client.retryNow();
      await until("it is tried", () => gateway.upgrades > before);
    });
  });

  test("shouldWaitForTheDelayAndTheBackoffDuringAMove", async () => {
    const stream = await openStream(HALF);
    gateway.refusal = FULL;
    stream.send({ type: "draining", deadline: Date.now() + 10 * WAIT_MS });
    // Milliseconds of the delay pass before the client reads it.
    const waits = Array.from({ length: 1_000 }, (_, passed) => WAIT_MS + HALF_BACKOFF_MS - passed);
    await until("it waits for both", () => waits.some((ms) => clock.hasTimer(ms)));
  });

  describe("by a publish", () => {
    test("shouldSendNoPublishDuringTheDelay", async () => {
      await openStream();
      gateway.refusal = FULL;
      await assert.rejects(client.publish("b", "refused"), isSluiceError("not-sent"));
      gateway.refusal = undefined;
      const later = client.publish("b", "later");
      await turn();
      const waited = await timeToNextRequest();
      assert.ok(waited >= WAIT_MS - 1_000, String(waited));
      const renewed = await gateway.stream();
      renewed.hello();
      await renewed.subscribed(1, { recovered: true });
      const exchange = await gateway.publishRequest();
      const { ref, payload } = await exchange.next("publish");
      assert.equal(payload, "later");
      exchange.send({ type: "published", ref });
      exchange.close(1000);
      await later;
      assert.equal(client.state.status, "open");
    });

    test("shouldRenewTheStreamAfterTheDelayAndTheBackoff", async () => {
      await openStream(HALF);
      gateway.refusal = FULL;
      await assert.rejects(client.publish("b", "refused"), isSluiceError("not-sent"));
      gateway.refusal = undefined;
      const later = client.publish("b", "later");
      await turn();
      const waited = await timeToNextRequest();
      assert.ok(waited >= WAIT_MS + HALF_BACKOFF_MS, String(waited));
      client.close();
      await assert.rejects(later);
    });

    test("shouldReportNotSentAfterAQueueTimeout", async () => {
      const stream = await openStream({ publishTimeout: 2_000 });
      gateway.refusal = FULL;
      await assert.rejects(client.publish("b", "refused"), isSluiceError("not-sent"));
      const later = client.publish("b", "later");
      clock.leap(2_000);
      await assert.rejects(later, { code: "publish-timeout", message: /it was not sent/ });
      assert.equal(stream.isOver, false);
    });

    test("shouldRejectQueuedPublishesAfterARefusal", async () => {
      await openStream();
      gateway.refusal = FULL;
      const first = client.publish("b", "1");
      await turn();
      const second = client.publish("b", "2");
      await assert.rejects(first, isSluiceError("not-sent"));
      await assert.rejects(second, isSluiceError("not-sent"));
      assert.equal(gateway.requests, 2);
    });
  });
});
