import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import type { ConnectOptions, Client } from "../src/index.js";
import type { ScriptedNode, ScriptedSession } from "./scripted-node.js";
import { LeapingClock, until } from "./support.js";
import { OLD, NEW, RECOVERED, TwoNodes } from "./two-nodes.js";

/** Port that accepts connections and never answers. */
class HangingNode {
  readonly sockets: Socket[] = [];
  open = 0;
  readonly #server: Server = createServer((socket) => {
    this.sockets.push(socket);
    this.open++;
    socket.on("close", () => this.open--);
    socket.on("error", () => undefined).resume();
  });

  static async start(): Promise<HangingNode> {
    const node = new HangingNode();
    await new Promise<void>((resolve) => node.#server.listen(0, "127.0.0.1", resolve));
    return node;
  }

  get url(): string {
    return `ws://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/ws`;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe("several addresses", { timeout: 60_000 }, () => {
  const clock = new LeapingClock();
  let nodes: TwoNodes;
  let old: ScriptedNode;
  let other: ScriptedNode;
  let hanging: HangingNode[];

  // Otherwise loaded on demand, in real time that no test advances.
  before(() => import("../src/transport/move.js"));

  beforeEach(async () => {
    nodes = await TwoNodes.start();
    ({ old, other } = nodes);
    hanging = await Promise.all([1, 2, 3, 4].map(() => HangingNode.start()));
  });

  afterEach(async () => {
    await nodes.stop();
    await Promise.all(hanging.map((node) => node.stop()));
  });

  const isOpen = (client: Client) => (): boolean => client.state.status === "open";

  describe("while the first one is unresponsive", () => {
    /** The delay ends only when a test advances the time. */
    const open = (urls: string[], options: ConnectOptions = {}): Client =>
      nodes.open(
        {
          clock,
          attemptDelay: 300_000,
          connectTimeout: 1_000_000,
          random: () => 0,
          // The nodes count connections, also those of the diagnosis.
          fetch: () => Promise.reject(new Error("no HTTP")),
          ...options,
        },
        urls,
      );

    test("shouldUseTheFirstHello", async () => {
      const [slow] = hanging as [HangingNode];
      const client = open([slow.url, old.url]);
      const received: unknown[] = [];
      client.subscribe("a", ({ payload }) => received.push(payload));
      await until("the first one was tried", () => slow.open === 1);
      assert.equal(old.sessions.length, 0);
      clock.leap(300_000);
      const session = await old.session();
      await session.next("connect");
      session.hello();
      await until("open", isOpen(client));
      await until("the first attempt is closed", () => slow.open === 0);
      await session.subscribed(0);
      session.message("a", 1, "one");
      await until("a message", () => received.length === 1);
      assert.deepEqual(nodes.states, ["open"]);
      assert.deepEqual(nodes.moves, []);
      assert.deepEqual(nodes.errors, []);
    });

    test("shouldCloseOtherAttemptsAfterTheFirstHello", async () => {
      const client = open([old.url, other.url]);
      const first = await old.session();
      await first.next("connect");
      clock.leap(300_000);
      const second = await other.session();
      await second.next("connect");
      first.hello();
      await until("the second attempt is closed", () => second.closeCode !== undefined);
      assert.equal(client.state.status, "open");
      assert.equal(first.closeCode, undefined);
      clock.leap(6_000_000);
      assert.equal(other.sessions.length, 1);
    });

    test("shouldSubscribeOnceIfTheFirstLinkHadTheSubscribe", async () => {
      const client = open([old.url, other.url]);
      client.subscribe("a", () => undefined);
      const first = await old.session();
      await first.next("subscribe");
      clock.leap(300_000);
      const second = await other.session();
      await second.next("connect");
      second.hello();
      await second.subscribed(0);
      await until("open", isOpen(client));
      await until("the first attempt is closed", () => first.closeCode !== undefined);
      assert.equal(second.count("subscribe"), 1);
    });

    test("shouldTryAtMostThreeAddressesInParallel", async () => {
      const client = open(hanging.map(({ url }) => url));
      const counts = (): number[] => hanging.map(({ sockets }) => sockets.length);
      for (const [at, node] of hanging.slice(0, 3).entries()) {
        await until("the next one was tried", () => node.open === 1);
        assert.deepEqual(
          counts(),
          [0, 1, 2, 3].map((one) => (one <= at ? 1 : 0)),
        );
        if (at < 2) clock.leap(300_000);
      }
      clock.leap(300_000);
      assert.deepEqual(counts(), [1, 1, 1, 0]);
      // The first attempt has ended; the others may still win.
      clock.leap(100_000);
      assert.equal(client.state.status, "connecting");
      await until("the first attempt is closed", () => hanging[0]?.open === 0);
      assert.deepEqual(
        hanging.map((node) => node.open),
        [0, 1, 1, 0],
      );
    });

    test("shouldBackOffWhenAllAttemptsHaveFailed", async () => {
      const [first, second] = hanging as [HangingNode, HangingNode];
      const backoff = { minBackoff: 500_000, maxBackoff: 500_000 };
      const client = open([first.url, second.url], { random: () => 0.5, ...backoff });
      await until("the first one was tried", () => first.open === 1);
      clock.leap(450_000);
      await until("the second one was tried", () => second.open === 1);
      first.cut();
      await until("the first attempt has ended", () => first.open === 0);
      second.cut();
      await until(
        "a wait",
        () => client.state.status === "connecting" && client.state.retryAt !== undefined,
      );
      assert.deepEqual([first.sockets.length, second.sockets.length], [1, 1]);
      // The next round starts with the second address.
      clock.leap(500_000);
      await until("the second one was tried", () => second.sockets.length === 2);
      assert.equal(first.sockets.length, 1);
    });

    test("shouldContinueOtherAttemptsWhenTheFirstFails", async () => {
      const [slow] = hanging as [HangingNode];
      const client = open([slow.url, old.url]);
      await until("the first one was tried", () => slow.open === 1);
      clock.leap(300_000);
      const session = await old.session();
      await session.next("connect");
      slow.cut();
      await until("the first attempt has ended", () => slow.open === 0);
      session.hello();
      await until("open", isOpen(client));
      assert.equal(old.sessions.length, 1);
    });

    test("shouldFollowOneRedirect", async () => {
      const [slow] = hanging as [HangingNode];
      const client = open([slow.url, old.url]);
      await until("the first one was tried", () => slow.open === 1);
      clock.leap(300_000);
      const sentAway = await old.session();
      await sentAway.next("connect");
      sentAway.send({ type: "redirect", url: other.url });
      sentAway.close(4101, "redirected");
      const session = await other.session();
      assert.equal((await session.next("connect"))["redirected"], true);
      session.hello();
      await until("open", isOpen(client));
    });

    test("shouldDrawTheDelayAtRandom", async () => {
      const [slow] = hanging as [HangingNode];
      open([slow.url, old.url], { random: () => 0.75 });
      await until("the first one was tried", () => slow.open === 1);
      clock.leap(500_000);
      assert.equal(old.sessions.length, 0);
      clock.leap(30_000);
      await old.session();
    });

    test("shouldEndAllAttemptsByClose", async () => {
      const [first, second] = hanging as [HangingNode, HangingNode];
      const client = open([first.url, second.url]);
      await until("the first one was tried", () => first.open === 1);
      clock.leap(300_000);
      await until("the second one was tried", () => second.open === 1);
      client.close();
      await until("all are closed", () => first.open + second.open === 0);
    });
  });

  describe("when a node loses its broker", () => {
    /** Returns a subscriber of the old node, which has lost its broker. */
    async function stale(urls = [old.url, other.url]): Promise<{
      readonly client: Client;
      readonly session: ScriptedSession;
      readonly received: unknown[];
    }> {
      const client = nodes.open({ clock, staleTimeout: 2_000_000, random: () => 0 }, urls);
      const received: unknown[] = [];
      client.subscribe("a", {
        onMessage: ({ payload }) => received.push(payload),
        onGap: ({ reason }) => received.push(reason),
      });
      const session = await old.session();
      session.hello({ node: "gw-1", pingInterval: 100_000_000 });
      await session.subscribed(0, { epoch: OLD });
      session.message("a", 1, "one");
      await until("a message", () => received.length === 1);
      session.send({ type: "stale" });
      await until("stale", () => client.state.status === "stale");
      return { client, session, received };
    }

    test("shouldMoveToTheNextOneThatHasItsBroker", async () => {
      const { client, session, received } = await stale();
      assert.equal(other.sessions.length, 0);
      clock.leap(2_000_000);
      const next = await other.session();
      next.hello({ node: "gw-2" });
      const { from } = await next.subscribed(7, { ...RECOVERED, replay: 1 });
      assert.equal((from as { readonly epoch: string }).epoch, OLD);
      next.message("a", 7, "two", { id: "0000000000000002" });
      await until("a message", () => received.length === 2);
      await until("the old one is closed", () => session.closeCode === 1000);
      assert.deepEqual(received, ["one", "two"]);
      assert.equal(client.state.status, "open");
      assert.deepEqual(nodes.states, ["open", "stale", "open"]);
      assert.deepEqual(nodes.moves, [{ from: "gw-1", to: "gw-2" }]);
    });

    test("shouldStayIfTheOtherNodeHasNoBrokerEither", async () => {
      const { client, session, received } = await stale();
      clock.leap(2_000_000);
      for (const tell of ["hello", "stale"]) {
        const next = await other.session();
        next.hello({ node: "gw-2", broker: tell === "hello" ? "down" : "up" });
        if (tell === "stale") next.send({ type: "stale" });
        await until("it is left", () => next.closeCode === 1000);
        assert.equal(client.state.status, "stale");
        assert.equal(session.closeCode, undefined);
      }
      // The old node's broker is back first.
      const next = await other.session();
      next.hello({ node: "gw-2" });
      await next.subscribed(7, { epoch: NEW, recovered: false });
      await until("open", isOpen(client));
      assert.deepEqual(received, ["one", "not-recovered"]);
    });

    test("shouldStayIfTheBrokerIsBackInTime", async () => {
      const { client, session } = await stale();
      clock.leap(1_500_000);
      session.send({ type: "live" });
      await until("open", isOpen(client));
      clock.leap(1_500_000);
      assert.equal(other.sessions.length, 0);
      session.send({ type: "stale" });
      await until("stale", () => client.state.status === "stale");
      clock.leap(1_500_000);
      assert.equal(other.sessions.length, 0);
      clock.leap(500_000);
      await other.session();
    });

    test("shouldStayIfTheBrokerReturnsBeforeTheMove", async () => {
      const { client, session } = await stale();
      clock.leap(2_000_000);
      const next = await other.session();
      next.hello({ node: "gw-2" });
      await next.next("subscribe");
      session.send({ type: "live" });
      await until("it is left", () => next.closeCode === 1000);
      assert.equal(client.state.status, "open");
      assert.equal(session.closeCode, undefined);
    });

    test("shouldStayIfThereIsOnlyOneAddress", async () => {
      const { client } = await stale([old.url]);
      clock.leap(6_000_000);
      assert.equal(client.state.status, "stale");
      assert.equal(old.sessions.length, 1);
    });

    test("shouldTryTheNamedAddressBeforeItsOwn", async () => {
      const { client, session } = await stale();
      session.send({ type: "redirect", url: hanging[0]?.url });
      await until("it was tried", () => hanging[0]?.open === 1);
      clock.leap(2_000_000);
      assert.equal(other.sessions.length, 0);
      hanging[0]?.cut();
      const next = await other.session();
      next.hello({ node: "gw-2" });
      await next.subscribed(7, RECOVERED);
      await until("open", isOpen(client));
    });

    test("shouldNotReplaceTheMoveFromADrainingNode", async () => {
      const { client, session } = await stale();
      session.send({ type: "draining", deadline: clock.now() + 10_000_000 });
      const next = await old.session();
      next.hello();
      await next.next("subscribe");
      clock.leap(2_000_000);
      assert.equal(client.state.status, "draining");
      assert.equal(next.closeCode, undefined);
      assert.equal(other.sessions.length, 0);
    });
  });
});
