// Many clients of the SDK that check what they hear. Messages of a topic end with SEQ=1, 2, 3 ….
// Usage: node readers.mjs URL CLIENTS TOPIC…; each line on standard input is answered by a report.
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";

const [url, count, ...topics] = process.argv.slice(2);

function reader(number) {
  const topic = topics[number % topics.length];
  const client = connect(url, { WebSocket, minBackoff: 50, maxBackoff: 500 });
  const state = { topic, last: 0, told: true, received: 0, gaps: {}, wrong: [] };
  state.client = client;
  state.subscription = client.subscribe(topic, {
    onMessage({ payload }) {
      const seq = Number(/SEQ=(\d+)/.exec(payload)?.[1]);
      const follows = seq === state.last + 1;
      if (!follows && !state.told) {
        state.wrong.push(`${topic}: ${seq} after ${state.last}`);
      }
      state.told = false;
      state.last = seq;
      state.received++;
    },
    onGap({ reason }) {
      state.told = true;
      state.gaps[reason] = (state.gaps[reason] ?? 0) + 1;
    },
    onError(error) {
      state.wrong.push(String(error));
    },
  });
  return state;
}

const readers = Array.from({ length: Number(count) }, (_, number) => reader(number));

/** How long, by what its node has proven, a client has been caught up; in milliseconds. */
function caughtUpMs({ subscription }) {
  const { since, time } = subscription.position ?? {};
  return since === undefined || time === undefined ? 0 : time - since;
}

function report() {
  const gaps = {};
  for (const state of readers) {
    for (const [reason, times] of Object.entries(state.gaps)) {
      gaps[reason] = (gaps[reason] ?? 0) + times;
    }
  }
  const leastOf = (topic) => readers.filter((r) => r.topic === topic).map((r) => r.last);
  return {
    open: readers.filter((r) => r.client.state.status === "open").length,
    positioned: readers.filter((r) => r.subscription.position !== undefined).length,
    caughtUpMs: Math.min(...readers.map(caughtUpMs)),
    caughtUpTo: Math.min(...readers.map((r) => r.subscription.position?.time ?? 0)),
    received: readers.reduce((sum, r) => sum + r.received, 0),
    least: Object.fromEntries(topics.map((topic) => [topic, Math.min(...leastOf(topic))])),
    gaps,
    wrong: readers.flatMap((r) => r.wrong).slice(0, 20),
  };
}

const lines = createInterface({ input: process.stdin });
lines.on("line", () => console.log(JSON.stringify(report())));
lines.on("close", () => process.exit(0));
