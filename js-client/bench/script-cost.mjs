// Measures the client's CPU time per message in Node, without a network: node script-cost.mjs
// [messages] [rounds] [bytes]
import { connect } from "../dist/index.js";

const [messages = 50_000, rounds = 6, bytes = 512] = process.argv.slice(2).map(Number);
const CHANNEL = 1;
const HEADER = 20;

let listeners;

/** WebSocket stub whose messages come from the benchmark. */
class HandFedSocket {
  constructor() {
    listeners = {};
  }
  send() {}
  close() {}
  addEventListener(type, listener) {
    listeners[type] = listener;
  }
}

function text(frame) {
  return JSON.stringify(frame);
}

const frames = {
  binary(offset) {
    const frame = new ArrayBuffer(HEADER + bytes);
    const view = new DataView(frame);
    view.setUint32(0, (1 << 24) | CHANNEL);
    view.setUint32(4, offset);
    view.setUint32(8, Math.imul(offset, 0x9e3779b1));
    view.setUint32(12, offset);
    view.setUint32(16, Date.now() % 2 ** 32);
    new Uint8Array(frame, HEADER).fill(120);
    return frame;
  },
  json(offset) {
    const id = offset.toString(16).padStart(16, "0");
    const payload = "x".repeat(bytes);
    return text({ type: "message", topic: "a", offset, id, time: Date.now(), payload });
  },
};

async function measure(encoding) {
  const client = connect("ws://localhost/ws", {
    WebSocket: HandFedSocket,
    transports: ["websocket"],
    encoding,
  });
  let heard = 0;
  client.subscribe("a", ({ payload }) => (heard += payload.length > 0 ? 1 : 0));
  listeners.open({});
  await new Promise((resolve) => setTimeout(resolve, 10));
  const receive = (data) => listeners.message({ data });
  const limits = {
    ...{ messageBytes: 65_536, subscriptions: 1_000, topicLength: 255 },
    ...{ topicDepth: 16, publishRate: 100, overlap: 4_096 },
  };
  const hello = { type: "hello", node: "n", version: "1", broker: "up", pingInterval: 25_000 };
  receive(text({ ...hello, time: Date.now(), limits }));
  const subscribed = { type: "subscribed", ref: 1, topic: "a", epoch: "e", offset: 0, time: 1 };
  receive(text({ ...subscribed, channel: CHANNEL }));
  for (let round = 0; round < rounds; round++) {
    const all = Array.from({ length: messages }, (_, i) =>
      frames[encoding](round * messages + i + 1),
    );
    const before = process.cpuUsage().user;
    for (const frame of all) receive(frame);
    const micros = (process.cpuUsage().user - before) / messages;
    console.log(`${encoding}, round ${round + 1}: ${micros.toFixed(1)} us a message`);
  }
  if (heard !== rounds * messages) throw new Error(`${heard} were heard`);
  client.close();
}

await measure("binary");
await measure("json");
