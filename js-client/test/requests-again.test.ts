import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Client } from "../src/index.js";
import { FEATURES } from "./full-duplex.js";
import type { ScriptedSession } from "./scripted-node.js";
import { LeapingClock, until } from "./support.js";
import { TwoNodes } from "./two-nodes.js";

const LIFE_MS = 100_000;

interface Started {
  readonly refused: () => boolean;
  readonly accepted: () => boolean;
}

/** Request that a node can refuse, its frame and the answer that accepts it. */
interface Kind {
  readonly type: string;
  readonly answer: object;
  /** Starts it; the result tells whether it was refused, or is accepted. */
  start(client: Client): Promise<Started>;
}

const state = (read: () => string, accepted: string): Started => ({
  refused: () => read() === "refused",
  accepted: () => read() === accepted,
});

const CONSUMING = { type: "consuming" };

const KINDS: Readonly<Record<string, Kind>> = {
  subscription: {
    type: "subscribe",
    answer: { type: "subscribed", topic: "a", epoch: "00000000000000a1", offset: 0, time: 1 },
    start: (client) => {
      const subscription = client.subscribe("a", () => undefined);
      return Promise.resolve(state(() => subscription.state.status, "live"));
    },
  },
  queue: {
    type: "consume",
    answer: CONSUMING,
    start: async (client) => {
      const consumer = await client.queue("a").consume(() => undefined);
      return state(() => consumer.state.status, "consuming");
    },
  },
  durable: {
    type: "consume",
    answer: CONSUMING,
    start: async (client) => {
      const consumer = await client.durable("a", "d").consume(() => undefined);
      return state(() => consumer.state.status, "consuming");
    },
  },
  shared: {
    type: "consume",
    answer: CONSUMING,
    start: async (client) => {
      const consumer = await client.shared("a", "s").consume(() => undefined);
      return state(() => consumer.state.status, "consuming");
    },
  },
  presence: {
    type: "presence",
    answer: { type: "present", topic: "a", self: "m", count: 1 },
    start: (client) => {
      let refused = false;
      let accepted = false;
      const onError = (): void => {
        refused = true;
      };
      void client.presence("a", { onError }).then(() => {
        accepted = true;
      });
      return Promise.resolve({ refused: () => refused, accepted: () => accepted });
    },
  },
};

describe("refused requests", { timeout: 60_000 }, () => {
  let nodes: TwoNodes;
  let clock: LeapingClock;
  let client: Client;

  beforeEach(async () => {
    nodes = await TwoNodes.start();
    clock = new LeapingClock();
    client = nodes.open({ clock, token: () => "token", random: () => 0.5 });
  });

  afterEach(() => nodes.stop());

  async function hello(): Promise<ScriptedSession> {
    const received = new Promise((resolve) => client.on("hello", resolve));
    const session = await nodes.old.session();
    const time = clock.now();
    session.hello({ time, expires: time + LIFE_MS, pingInterval: 2 ** 31 - 1, features: FEATURES });
    await received;
    await import("../src/engine/session-watch.js");
    await turn();
    return session;
  }

  async function refuse(session: ScriptedSession, type: string, code: string): Promise<void> {
    const { ref } = await session.next(type);
    session.send({ type: "error", ref, code, message: "no", topic: "a" });
  }

  async function accept(session: ScriptedSession, { type, answer }: Kind): Promise<void> {
    const { ref } = await session.next(type);
    session.send({ ref, ...answer });
  }

  for (const [name, kind] of Object.entries(KINDS)) {
    test(`shouldRepeat a ${name} after a reconnect`, async () => {
      const session = await hello();
      const started = await kind.start(client);
      await refuse(session, kind.type, "forbidden");
      await until("refused", started.refused);
      session.cut();
      await until("lost", () => client.state.status === "connecting");
      clock.leap(1_000);
      await accept(await hello(), kind);
      await until("accepted", started.accepted);
    });

    test(`shouldRepeat a ${name} with another credential`, async () => {
      const session = await hello();
      const started = await kind.start(client);
      await refuse(session, kind.type, "forbidden");
      await until("refused", started.refused);
      clock.leap(0.81 * LIFE_MS);
      const { ref } = await session.next("refresh");
      session.send({ type: "refreshed", ref, expires: clock.now() + LIFE_MS });
      await accept(session, kind);
      await until("accepted", started.accepted);
      assert.equal(session.count(kind.type), 2);
    });

    test(`shouldRepeat a ${name} later after a refusal by a quota`, async () => {
      const session = await hello();
      const started = await kind.start(client);
      for (const [at, code] of [
        "rate-limited",
        "broker-unavailable",
        "too-many-topics",
      ].entries()) {
        const handled = new Promise((resolve) => client.on("stale", resolve));
        await refuse(session, kind.type, code);
        session.send({ type: "stale" });
        await handled;
        await until("repeated", () => {
          clock.leap(1_000);
          return session.count(kind.type) === at + 2;
        });
      }
      await accept(session, kind);
      await until("accepted", started.accepted);
    });
  }
});
