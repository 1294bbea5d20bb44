// Checks delivery with many SDK clients: node readers.mjs URL[,URL]… CLIENTS PATTERN TOPIC…
//
// The messages of a topic contain SEQ=1, 2, 3 …, and AFTER= with the previous number that the
// broker accepted. Any other missing number requires a gap. Every client subscribes to two
// consecutive topics, and to PATTERN, which matches all topics, unless it is empty. Each line on
// standard input is answered by a report.
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";

const [list, count, pattern, ...topics] = process.argv.slice(2);
const urls = list.split(",");

/** Record of one subscription: the messages of each of its topics in order. */
class Reader {
  gaps = {};
  /** Number of times that messages were missing after a reported gap. */
  holes = 0;
  wrong = [];
  #latest;
  /** Topics with a reported gap, of which messages may be missing. */
  #reported = new Set();
  /** Topics that restart, possibly with messages that were already received. */
  #anew = new Set();

  constructor(client, name, covered) {
    this.#latest = new Map(covered.map((topic) => [topic, 0]));
    this.subscription = client.subscribe(name, {
      onMessage: (message) => this.#onMessage(message),
      onGap: ({ reason }) => this.#onGap(reason),
      onError: (error) => this.wrong.push(String(error)),
    });
  }

  #onMessage({ topic, payload }) {
    const [seq, after] = /^SEQ=(\d+) AFTER=(\d+)$/.exec(payload).slice(1).map(Number);
    const last = this.#latest.get(topic);
    if (seq <= last && !this.#anew.has(topic)) {
      this.wrong.push(`${topic}: ${seq} behind ${last}`);
    } else if (after > last) {
      if (this.#reported.has(topic)) this.holes++;
      else this.wrong.push(`${topic}: ${after} is missing between ${last} and ${seq}`);
    }
    this.#reported.delete(topic);
    this.#anew.delete(topic);
    this.#latest.set(topic, seq);
  }

  #onGap(reason) {
    this.#reported = new Set(this.#latest.keys());
    if (reason === "not-recovered") this.#anew = new Set(this.#latest.keys());
    this.gaps[reason] = (this.gaps[reason] ?? 0) + 1;
  }

  /** Returns the latest number of a topic; all numbers for a topic that is not subscribed. */
  latest(topic) {
    return this.#latest.get(topic) ?? Infinity;
  }

  get reportedGaps() {
    return Object.values(this.gaps).reduce((sum, times) => sum + times, 0);
  }

  /** Time in ms for which the subscription has been caught up, as confirmed by its node. */
  get caughtUpMs() {
    const { since, time } = this.subscription.position ?? {};
    return since === undefined || time === undefined ? 0 : time - since;
  }
}

function open(_, number) {
  // WebSocket only: the test concerns node failures, not the choice of the transport.
  const transports = ["websocket"];
  const client = connect(urls, { WebSocket, transports, minBackoff: 50, maxBackoff: 500 });
  const state = { client, staleEvents: 0 };
  client.on("stale", () => state.staleEvents++);
  const own = [number, number + 1].map((n) => topics[n % topics.length]);
  state.readers = own.map((topic) => new Reader(client, topic, [topic]));
  if (pattern !== "") state.readers.push(new Reader(client, pattern, topics));
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
    least: topics.map((t) => least(readers.map((r) => r.latest(t)))),
    leastStale: least(clients.map((c) => c.staleEvents)),
    leastGaps: least(readers.map((r) => r.reportedGaps)),
    leastHoles: least(readers.map((r) => r.holes)),
    gaps: allGaps(),
    wrong: readers.flatMap((r) => r.wrong).slice(0, 20),
  };
}

const lines = createInterface({ input: process.stdin });
lines.on("line", () => console.log(JSON.stringify(report())));
lines.on("close", () => process.exit(0));
