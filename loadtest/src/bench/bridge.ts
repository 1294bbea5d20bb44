// Peer of "sluice ab-test": a bridge between a broker and browsers as many are written. It reads topics by STOMP and
// sends each message to its subscribers by µWebSockets, as embedded in Bun, in the frames of sluice.v1.json. It has no
// credentials, limits, history or gaps.
//
//   npx bun bridge.ts PORT STOMP_PORT [TOPICS]      (100 topics, named as those of "sluice feed")
//
// GET /metrics responds with the figures that the load test reads.
import { connect } from "node:net";

const [port = 0, stompPort = 0, topics = 100] = process.argv.slice(2).map(Number);
const started = Date.now();
const counts = { connections: 0, messages: 0, frames: 0, bytes: 0 };

/** Topic of the feed: the offset of its latest message, and its number of subscribers. */
interface Topic {
  offset: number;
  subscribers: number;
}
const known = new Map<string, Topic>();

function topic(name: string): Topic {
  const found = known.get(name) ?? { offset: 0, subscribers: 0 };
  known.set(name, found);
  return found;
}

function metrics(): string {
  const cpu = process.cpuUsage();
  const figures = {
    process_start_time_seconds: started / 1000,
    process_cpu_seconds_total: (cpu.user + cpu.system) / 1e6,
    process_resident_memory_bytes: process.memoryUsage.rss(),
    sluice_connections: counts.connections,
    sluice_frames_out_total: counts.frames,
    sluice_frames_out_bytes_total: counts.bytes,
    sluice_messages_in_total: counts.messages,
  };
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("");
}

const HELLO = JSON.stringify({
  type: "hello",
  node: "bridge",
  version: "1",
  session: "bridge",
  time: started,
  broker: "up",
  pingInterval: 25_000,
  limits: { messageBytes: 65_536, subscriptions: 1000, topicLength: 255, topicDepth: 16, publishRate: 0, overlap: 0 },
  features: [],
});

interface Client {
  greeted: boolean;
  topics: string[];
}

const server = Bun.serve<Client>({
  port,
  hostname: "127.0.0.1",
  fetch(request, server) {
    if (new URL(request.url).pathname === "/metrics") {
      return new Response(metrics());
    }
    const headers = { "Sec-WebSocket-Protocol": "sluice.v1.json" };
    return server.upgrade(request, { headers, data: { greeted: false, topics: [] } })
      ? undefined
      : new Response("not found", { status: 404 });
  },
  websocket: {
    idleTimeout: 0,
    open() {
      counts.connections++;
    },
    message(socket, text) {
      const frame = JSON.parse(String(text));
      if (!socket.data.greeted) {
        socket.data.greeted = true;
        socket.send(HELLO);
      }
      if (frame.type === "subscribe") {
        const { offset } = topic(frame.topic);
        topic(frame.topic).subscribers++;
        socket.data.topics.push(frame.topic);
        socket.subscribe(frame.topic);
        const { ref, topic: name } = frame;
        socket.send(
          JSON.stringify({ type: "subscribed", ref, topic: name, epoch: String(started), offset, time: Date.now() }),
        );
      } else if (frame.type === "ping") {
        socket.send(JSON.stringify({ type: "pong", ref: frame.ref, time: Date.now() }));
      }
    },
    close(socket) {
      counts.connections--;
      socket.data.topics.forEach((name) => topic(name).subscribers--);
    },
  },
});

function deliver(name: string, id: string, time: number, payload: string): void {
  const to = topic(name);
  const offset = ++to.offset;
  const frame = JSON.stringify({ type: "message", topic: name, offset, id, time, payload });
  counts.messages++;
  counts.frames += to.subscribers;
  counts.bytes += to.subscribers * frame.length;
  server.publish(name, frame);
}

function header(head: string, name: string): string {
  const start = head.indexOf(`\n${name}:`) + name.length + 2;
  const end = head.indexOf("\n", start);
  return head.slice(start, end < 0 ? undefined : end);
}

/** Reads a frame of the broker: a command with headers, an empty line and a body. */
function read(frame: string): void {
  const end = frame.indexOf("\n\n");
  const head = frame.slice(0, end).trimStart();
  if (head.startsWith("MESSAGE")) {
    const id = header(head, "message-id").slice(-16).padStart(16, "0");
    deliver(header(head, "subscription"), id, Number(header(head, "timestamp")), frame.slice(end + 2));
  } else if (head.startsWith("CONNECTED")) {
    for (let i = 0; i < topics; i++) {
      const name = `stocks.${i}`;
      broker.write(`SUBSCRIBE\nid:${name}\ndestination:${name}\nsubscription-type:MULTICAST\n\n\0`);
    }
    console.log("READY");
  } else if (head.startsWith("ERROR")) {
    throw new Error(head);
  }
}

// The feed's payloads have no zero byte, which therefore ends a frame.
let rest = "";
const broker = connect(stompPort, "127.0.0.1", () => {
  broker.write("CONNECT\naccept-version:1.2\nhost:localhost\nheart-beat:0,0\n\n\0");
});
broker.setEncoding("utf8");
broker.on("data", (chunk) => {
  const frames = (rest + chunk).split("\0");
  rest = frames.pop() ?? "";
  frames.forEach(read);
});
broker.on("close", () => process.exit(1));
process.on("SIGTERM", () => process.exit(0));
