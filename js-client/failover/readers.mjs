// Many clients of the SDK that check what they hear. The messages of a topic say SEQ=1, 2, 3 …, and
// AFTER= which one was the latest before it that the broker took; nothing else may be missing
// without a gap. Every client subscribes to two topics that follow each other.
// Usage: node readers.mjs URL CLIENTS TOPIC…; each line on standard input is answered by a report.
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";

const [url, count, ...topics] = process.argv.slice(2);

/** Everything that came to one subscription. */
class Reader {
  last = 0;
  gaps = {};
  /** How often messages were missing where a gap had been told. */
  holes = 0;
  wrong = [];
  #told = false;

  constructor(client, topic) {
    this.topic = topic;
    this.subscription = client.subscribe(topic, {
      onMessage: ({ payload }) => this.#onMessage(payload),
      onGap: ({ reason }) => this.#onGap(reason),
      onError: (error) => this.wrong.push(String(error)),
    });
  }

  #onMessage(payload) {
    const [seq, after] = /^SEQ=(\d+) AFTER=(\d+)$/.exec(payload).slice(1).map(Number);
    if (seq <= this.last) {
      this.wrong.push(`${this.topic}: ${seq} behind ${this.last}`);
    } else if (after > this.last) {
      if (this.#told) this.holes++;
      else this.wrong.push(`${this.topic}: ${after} is missing between ${this.last} and ${seq}`);
    }
    this.#told = false;
    this.last = seq;
  }

  #onGap(reason) {
    this.#told = true;
    this.gaps[reason] = (this.gaps[reason] ?? 0) + 1;
  }

  get toldGaps() {
    return Object.values(this.gaps).reduce((sum, times) => sum + times, 0);
  }

  /** How long, by what its node has proven, it has been caught up; in milliseconds. */
  get caughtUpMs() {
    const { since, time } = this.subscription.position ?? {};
    return since === undefined || time === undefined ? 0 : time - since;
  }
}

function open(_, number) {
  const client = connect(url, { WebSocket, minBackoff: 50, maxBackoff: 500 });
  const state = { client, toldStale: 0 };
  client.on("stale", () => state.toldStale++);
  state.readers = [number, number + 1].map((n) => new Reader(client, topics[n % topics.length]));
  return state;
}

const clients = Array.from({ length: Number(count) }, open);
const readers = clients.flatMap((client) => client.readers);

function least(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function allGaps() {
  const gaps = {};
  for (const [reason, times] of readers.flatMap((r) => Object.entries(r.gaps))) {
    gaps[reason] = (gaps[reason] ?? 0) + times;
  }
  return gaps;
}

function inState(status) {
  return clients.filter(({ client }) => client.state.status === status).length;
}

function report() {
  return {
    open: inState("open"),
    stale: inState("stale"),
    subscriptions: readers.length,
    positioned: readers.filter((r) => r.subscription.position !== undefined).length,
    caughtUpMs: least(readers.map((r) => r.caughtUpMs)),
    caughtUpTo: least(readers.map((r) => r.subscription.position?.time ?? 0)),
    least: topics.map((t) => least(readers.filter((r) => r.topic === t).map((r) => r.last))),
    leastStale: least(clients.map((c) => c.toldStale)),
    leastGaps: least(readers.map((r) => r.toldGaps)),
    leastHoles: least(readers.map((r) => r.holes)),
    gaps: allGaps(),
    wrong: readers.flatMap((r) => r.wrong).slice(0, 20),
  };
}

const lines = createInterface({ input: process.stdin });
lines.on("line", () => console.log(JSON.stringify(report())));
lines.on("close", () => process.exit(0));
