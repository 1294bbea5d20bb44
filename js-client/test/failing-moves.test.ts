import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { HandClock } from "./hand-clock.js";
import { isSluiceError, until } from "./support.js";
import type { ScriptedNode } from "./scripted-node.js";
import { NOWHERE, OLD, RECOVERED, TwoNodes } from "./two-nodes.js";

const PASSING = ["rate-limited", "broker-unavailable", "too-many-topics"];

describe("failing moves", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;
  let old: ScriptedNode;
  let other: ScriptedNode;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
    ({ old, other } = nodes);
  });

  afterEach(() => nodes.stop());

  async function moved(): Promise<void> {
    await until("moved", () => nodes.moves.length === 1);
  }

  describe("a redirect while the old node drains", () => {
    test("shouldContinueTheMoveIfTheRedirectFails", async () => {
      const { session } = await nodes.openWithTopic();
      nodes.drain(session);
      await other.session();
      session.send({ type: "redirect", url: NOWHERE });
      const own = await old.session();
      own.hello();
      await own.subscribed(9, RECOVERED);
      await moved();
      assert.deepEqual(nodes.states, ["open", "draining", "open"]);
    });

    test("shouldLeaveAtTheDeadlineDespiteARedirect", async () => {
      const { client, session } = await nodes.openWithTopic();
      session.send({ type: "draining", deadline: Date.now() + 200, url: NOWHERE });
      session.send({ type: "redirect", url: NOWHERE });
      await until("left", () => session.closeCode === 1000);
      await until("connecting", () => client.state.status === "connecting");
    });
  });

  test("shouldUnsubscribeAtTheNewNodeWhatEndsDuringTheMove", async () => {
    const clock = new HandClock();
    const { client, session, received } = await nodes.openWithTopic({ clock });
    const undo = client.subscribe("b", () => undefined);
    await session.subscribed(0, { epoch: OLD });
    nodes.drain(session);
    await until("draining", () => client.state.status === "draining");
    await until("the move begins", () => {
      clock.pass(1);
      return other.sessions.length > 0;
    });
    const next = await other.session();
    const asked = [await next.next("subscribe"), await next.next("subscribe")];
    next.hello();
    for (const { topic, ref } of asked) {
      if (topic === "b") next.send({ type: "subscribed", ref, topic, offset: 0, ...RECOVERED });
    }
    session.message("a", 2, "two");
    await until("the hello is read", () => received.length === 2);
    undo.unsubscribe();
    session.close(4100);
    await moved();
    assert.equal((await next.next("unsubscribe"))["topic"], "b");
  });

  describe("a subscription refused by the other node", () => {
    for (const code of PASSING) {
      test(`shouldBeRequestedAgainAfter ${code}`, async () => {
        const { session } = await nodes.openWithTopic();
        nodes.drain(session);
        const next = await other.session();
        next.hello();
        const { ref } = await next.next("subscribe");
        next.send({ type: "error", ref, code, message: "later", topic: "a" });
        await next.subscribed(9, RECOVERED);
        await moved();
        assert.deepEqual(nodes.errors, []);
      });
    }

    test("shouldBeRequestedByTheClientIfTheOldNodeEndsFirst", async () => {
      const clock = new HandClock();
      const { client, session, received } = await nodes.openWithTopic({ clock });
      nodes.drain(session);
      await until("draining", () => client.state.status === "draining");
      await until("the move begins", () => {
        clock.pass(1);
        return other.sessions.length > 0;
      });
      const next = await other.session();
      next.hello();
      const { ref } = await next.next("subscribe");
      next.send({ type: "error", ref, code: "rate-limited", message: "later", topic: "a" });
      session.close(4100);
      await moved();
      await next.subscribed(9, RECOVERED);
      next.message("a", 10, "two");
      await until("a message", () => received.length === 2);
      assert.deepEqual(nodes.errors, []);
    });

    test("shouldNotDelayTheMoveIfPermanentlyRefused", async () => {
      const { session } = await nodes.openWithTopic();
      nodes.drain(session);
      const next = await other.session();
      next.hello();
      const { ref } = await next.next("subscribe");
      next.send({ type: "error", ref, code: "forbidden", message: "not you", topic: "a" });
      await moved();
      await until("reported", () => nodes.errors.length === 1);
      assert.equal(nodes.errors[0]?.code, "forbidden");
    });
  });

  describe("publishes while the last ones are answered", () => {
    async function settle(): Promise<{
      readonly answer: () => void;
      readonly held: Promise<void>;
      readonly close: () => void;
    }> {
      const { client, session, received } = await nodes.openWithTopic();
      const first = client.publish("p", "first");
      const { ref } = await session.next("publish");
      nodes.drain(session);
      const next = await other.session();
      next.hello();
      await next.subscribed(0, RECOVERED);
      await until("it settles", () => next.count("subscribe") === 1);
      session.message("a", 2, "two");
      await until("the old one counts", () => received.length === 2);
      // A renewed HTTP stream repeats its hello.
      session.hello();
      await until("settled and open", () => client.state.status === "open");
      const held = client.publish("p", "held");
      const answer = (): void => {
        session.send({ type: "published", ref });
      };
      void first.catch(() => undefined);
      return {
        answer,
        held,
        close: () => {
          client.close();
        },
      };
    }

    test("shouldMoveToTheOtherNode", async () => {
      const { answer, held } = await settle();
      answer();
      await moved();
      const next = other.sessions[0];
      assert.ok(next);
      const { ref, payload } = await next.next("publish");
      assert.equal(payload, "held");
      next.send({ type: "published", ref });
      await held;
      assert.equal(old.sessions[0]?.count("publish"), 1);
    });

    test("shouldNotFollowARedirectAfterClose", async () => {
      const { held, close } = await settle();
      close();
      await assert.rejects(held, isSluiceError("closed"));
      await until("closed", () => old.sessions[0]?.closeCode === 1000);
      assert.equal(old.sessions[0]?.count("publish"), 1);
    });
  });
});
