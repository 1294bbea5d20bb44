import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Position, type Client } from "../src/index.js";
import { ScriptedGateway, type StreamSession } from "./scripted-gateway.js";
import { LeapingClock, randomFrom, until } from "./support.js";

const TOPICS = ["a", "b", "c", "d"];
const STEPS = 1_500;
const EPOCH = "1f0a6c2b9d3e4f58";

interface Reader {
  readonly stop: () => void;
  readonly received: number[];
}

/** Open stream and its topics. */
interface Live {
  readonly stream: StreamSession;
  readonly topics: Set<string>;
}

/** Node with a complete log, which replays from slightly before a position. */
class ReplayingNode {
  readonly #latest = new Map(TOPICS.map((topic) => [topic, 0]));
  readonly #below: (bound: number) => number;
  #live: Live[] = [];

  constructor(below: (bound: number) => number) {
    this.#below = below;
  }

  open(stream: StreamSession): void {
    const live: Live = { stream, topics: new Set() };
    stream.hello();
    for (const { type, ref, topic, from } of stream.frames) {
      if (type !== "subscribe") continue;
      this.#subscribe(live, ref, topic as string, from as Position | undefined);
    }
    if (live.topics.size === 0) stream.close(1000);
    else this.#live.push(live);
  }

  publish(topic: string): void {
    const offset = this.latest(topic) + 1;
    this.#latest.set(topic, offset);
    this.#live = this.#live.filter(({ stream }) => !stream.isOver);
    for (const { stream, topics } of this.#live) {
      if (topics.has(topic)) stream.message(topic, offset, String(offset));
    }
  }

  latest(topic: string): number {
    return this.#latest.get(topic) ?? 0;
  }

  end(code: number): void {
    for (const { stream } of this.#live) stream.close(code);
    this.#live = [];
  }

  #subscribe(live: Live, ref: unknown, topic: string, from: Position | undefined): void {
    const { stream, topics } = live;
    const offset = this.latest(topic);
    // Never before the start of the subscription, which the ids of a position mark.
    const begin = from ? from.offset - this.#below((from.ids?.length ?? 0) + 1) : offset;
    const replay = offset - begin;
    const recovered = from ? { recovered: true } : { time: 1_763_700_000_000 };
    const answer = { type: "subscribed", ref, topic, epoch: EPOCH, offset, ...recovered };
    stream.send(replay > 0 ? { ...answer, replay } : answer);
    for (let i = begin + 1; i <= offset; i++) stream.message(topic, i, String(i));
    topics.add(topic);
  }
}

test("renewals without loss and duplicates", { timeout: 60_000 }, async () => {
  const { random, seed } = randomFrom();
  const below = (bound: number): number => Math.floor(random() * bound);
  const clock = new LeapingClock();
  const gateway = await ScriptedGateway.start();
  gateway.passage = "refused";
  gateway.cut = () => 1 + below(400);
  const node = new ReplayingNode(below);
  gateway.onStream = (stream) => {
    node.open(stream);
  };
  const client: Client = connect(gateway.url, { WebSocket, clock, encoding: "json" });
  const wrong: unknown[] = [];
  client.on("gap", (gap) => wrong.push(gap));
  client.on("error", (error) => wrong.push(error));
  const readers = new Map<string, Reader>();

  const subscribe = (topic: string): void => {
    const received: number[] = [];
    const onMessage = ({ payload }: { readonly payload: unknown }): void => {
      const last = received.at(-1);
      const number = Number(payload);
      if (last !== undefined && number !== last + 1) wrong.push({ topic, last, number });
      received.push(number);
    };
    readers.set(topic, { stop: client.subscribe(topic, onMessage).unsubscribe, received });
  };

  const change = (topic: string): void => {
    const reader = readers.get(topic);
    if (reader) {
      reader.stop();
      readers.delete(topic);
    } else {
      subscribe(topic);
    }
  };

  try {
    await until(`open (seed ${String(seed)})`, () => client.state.status === "open");
    for (let step = 0; step < STEPS; step++) {
      node.publish(TOPICS[below(TOPICS.length)] ?? "a");
      const dice = random();
      if (dice < 0.05) change(TOPICS[below(TOPICS.length)] ?? "a");
      else if (dice < 0.06) clock.leap(1_000);
      else if (dice < 0.063) {
        clock.leap(5_000);
        node.end(4101);
      }
      if (dice > 0.5) await turn();
    }
    for (const topic of TOPICS) if (!readers.has(topic)) subscribe(topic);
    // A subscription from now on misses nothing before it is live.
    await until(`all receive everything (seed ${String(seed)})`, () => {
      for (const topic of TOPICS) node.publish(topic);
      return TOPICS.every((topic) => (readers.get(topic)?.received.length ?? 0) > 0);
    });
    await until(`all have received the last (seed ${String(seed)})`, () =>
      TOPICS.every((topic) => readers.get(topic)?.received.at(-1) === node.latest(topic)),
    );
    assert.deepEqual(wrong, [], `seed ${String(seed)}`);
    assert.ok(gateway.requests > 3, "the stream was never renewed");
  } finally {
    client.close();
    await gateway.stop();
  }
});
