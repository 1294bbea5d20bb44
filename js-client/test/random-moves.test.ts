import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Position } from "../src/index.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import type { ScriptedSession } from "./scripted-node.js";
import { randomFrom, until } from "./support.js";
import { NOWHERE } from "./two-nodes.js";

const TOPICS = ["a", "b", "c"];
const STEPS = 1_200;

/**
 * Node with the log of a broker shared by all nodes; each session is served as soon as it connects.
 */
class LoggingNode {
  readonly gateway: ScriptedGateway;
  readonly #name: string;
  readonly #latest: Map<string, number>;
  readonly #below: (bound: number) => number;
  readonly #live = new Map<ScriptedSession, Set<string>>();
  /** Redirect targets sent instead of some hellos. */
  elsewhere: readonly string[] = [];
  isOpen = true;

  constructor(
    gateway: ScriptedGateway,
    name: string,
    latest: Map<string, number>,
    below: (bound: number) => number,
  ) {
    this.gateway = gateway;
    this.#name = name;
    this.#latest = latest;
    this.#below = below;
  }

  get sessions(): readonly ScriptedSession[] {
    return [...this.#live.keys()].filter(({ closeCode }) => closeCode === undefined);
  }

  /** Accepts WebSockets until the gateway stops. */
  async serve(): Promise<void> {
    while (this.isOpen) {
      const session = await this.gateway.socket().catch(() => undefined);
      if (!session) continue;
      this.#live.set(session, new Set());
      void this.#converse(session);
    }
  }

  publish(topic: string): void {
    const offset = this.#latest.get(topic) ?? 0;
    for (const session of this.sessions) {
      if (this.#live.get(session)?.has(topic)) session.message(topic, offset, String(offset));
    }
  }

  async #converse(session: ScriptedSession): Promise<void> {
    let read = 0;
    while (session.closeCode === undefined) {
      await turn();
      if (this.#below(3) > 0) continue;
      const frame = session.frames[read];
      if (!frame) continue;
      read++;
      const topic = frame["topic"] as string;
      if (frame["type"] === "connect") this.#welcome(session, frame["redirected"] === true);
      else if (frame["type"] === "unsubscribe") this.#live.get(session)?.delete(topic);
      else if (frame["type"] === "subscribe") this.#subscribe(session, topic, frame);
    }
  }

  #welcome(session: ScriptedSession, isRedirected: boolean): void {
    const url = isRedirected ? undefined : this.elsewhere[this.#below(4)];
    if (url === undefined) {
      session.hello({ node: this.#name });
    } else {
      session.send({ type: "redirect", url });
      session.close(4101);
    }
  }

  #subscribe(
    session: ScriptedSession,
    topic: string,
    { ref, from }: Readonly<Record<string, unknown>>,
  ): void {
    const offset = this.#latest.get(topic) ?? 0;
    const position = from as Position | undefined;
    const back = this.#below((position?.ids?.length ?? 0) + 1);
    const begin = position ? position.offset - back : offset;
    const replay = offset - begin || undefined;
    const beginning = position ? { recovered: true } : { time: 1_763_700_000_000 };
    const epoch = `${this.#name}-${topic}`;
    session.send({ type: "subscribed", ref, topic, epoch, offset, replay, ...beginning });
    for (let i = begin + 1; i <= offset; i++) session.message(topic, i, String(i));
    this.#live.get(session)?.add(topic);
  }
}

test("moves without loss and duplicates", { timeout: 120_000 }, async () => {
  const { random, seed } = randomFrom();
  const below = (bound: number): number => Math.floor(random() * bound);
  const latest = new Map(TOPICS.map((topic) => [topic, 0]));
  const nodes: LoggingNode[] = [];
  for (const name of ["one", "two"]) {
    nodes.push(new LoggingNode(await ScriptedGateway.start(), name, latest, below));
  }
  for (const node of nodes) void node.serve();
  const urls = nodes.map(({ gateway }) => gateway.url);
  for (const node of nodes) {
    node.elsewhere = [NOWHERE, ...urls.filter((url) => url !== node.gateway.url)];
  }
  const client = connect(urls, {
    WebSocket,
    transports: ["websocket"],
    encoding: "json",
    minBackoff: 2,
    maxBackoff: 5,
  });
  const wrong: unknown[] = [];
  let moves = 0;
  client.on("moved", () => moves++);
  client.on("gap", (gap) => wrong.push(gap));
  client.on("error", (error) => wrong.push(error));
  const last = new Map<string, number>();
  for (const topic of TOPICS) {
    client.subscribe(topic, ({ payload }) => {
      const number = Number(payload);
      const before = last.get(topic);
      if (before !== undefined && number !== before + 1) wrong.push({ topic, before, number });
      last.set(topic, number);
    });
  }
  const publish = (topic: string): void => {
    latest.set(topic, (latest.get(topic) ?? 0) + 1);
    for (const node of nodes) node.publish(topic);
  };
  try {
    await until(`all begin (seed ${String(seed)})`, () => {
      for (const topic of TOPICS) publish(topic);
      return last.size === TOPICS.length;
    });
    for (let step = 0; step < STEPS; step++) {
      publish(TOPICS[below(TOPICS.length)] ?? "a");
      const dice = random();
      const from = below(2);
      const session = nodes[from]?.sessions.at(-1);
      const url = urls[1 - from];
      if (dice < 0.02) session?.send({ type: "draining", deadline: Date.now() + 20_000, url });
      else if (dice < 0.03) session?.send({ type: "redirect", url });
      else if (dice < 0.035) session?.cut();
      await turn();
    }
    await until(`all have received the last (seed ${String(seed)})`, () =>
      TOPICS.every((topic) => last.get(topic) === latest.get(topic)),
    );
    assert.deepEqual(wrong, [], `seed ${String(seed)}`);
    assert.ok(moves > 0, `nothing moved (seed ${String(seed)})`);
  } finally {
    client.close();
    for (const node of nodes) {
      node.isOpen = false;
      await node.gateway.stop();
    }
  }
});
