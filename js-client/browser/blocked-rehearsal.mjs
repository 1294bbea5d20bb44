// Runs blocked.mjs against a stub of gateway and proxy: npm run rehearse:blocked
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const STREAM_LIFETIME_MS = 3_000;
const TICK_MS = 20;

const sessions = new Set();
const log = { ticks: [], echo: [] };
let isBlocked = true;

/** Session of one client over any transport; it receives what was published after its positions. */
class Session {
  #send;
  #topics = new Set();

  constructor(send) {
    this.#send = send;
    sessions.add(this);
  }

  onFrame({ type, ref, topic, from, payload }) {
    if (type === "connect") this.#send(hello());
    if (type === "ping") this.#send({ type: "pong", ref, time: Date.now() });
    if (type === "subscribe") this.#subscribe(ref, topic, from);
    if (type !== "publish") return;
    publish(topic, payload);
    this.#send({ type: "published", ref });
  }

  get isIdle() {
    return this.#topics.size === 0;
  }

  deliver(topic, message) {
    if (this.#topics.has(topic)) this.#send(message);
  }

  #subscribe(ref, topic, from) {
    const missed = from ? log[topic].slice(from.offset) : [];
    const offset = log[topic].length;
    const begin = from ? { recovered: true } : { time: Date.now() };
    const answer = { type: "subscribed", ref, topic, epoch: "a", offset, ...begin };
    this.#send(missed.length > 0 ? { ...answer, replay: missed.length } : answer);
    for (const message of missed) this.#send(message);
    this.#topics.add(topic);
  }
}

function hello() {
  const limits = { messageBytes: 65_536, subscriptions: 9, topicLength: 255, topicDepth: 16 };
  const node = { node: "rehearsal", version: "0", time: Date.now(), broker: "up" };
  return {
    type: "hello",
    ...node,
    pingInterval: 25_000,
    limits: { ...limits, publishRate: 100, overlap: 16 },
  };
}

function publish(topic, payload) {
  const offset = log[topic].length + 1;
  const id = offset.toString(16).padStart(16, "0");
  log[topic].push({ type: "message", topic, offset, id, time: Date.now(), payload });
  for (const session of sessions) session.deliver(topic, log[topic].at(-1));
}

function frame(opcode, payload) {
  const head = Buffer.from([0x80 | opcode, payload.length]);
  if (payload.length < 126) return Buffer.concat([head, payload]);
  const long = Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([long, payload]);
}

async function stream(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const session = new Session((message) => {
    response.write(frame(0x1, Buffer.from(JSON.stringify(message))));
  });
  response.writeHead(200);
  for (const line of Buffer.concat(pieces).toString().split("\n"))
    session.onFrame(JSON.parse(line));
  const end = (code) => {
    sessions.delete(session);
    response.end(frame(0x8, Buffer.from([code >> 8, code & 0xff])));
  };
  if (session.isIdle) end(1000);
  else setTimeout(() => end(4101), STREAM_LIFETIME_MS);
}

const server = createServer((request, response) => {
  if (request.method === "POST") void stream(request, response);
  else if (request.url.startsWith("/sluice/")) {
    response.setHeader("content-type", "text/javascript");
    createReadStream(join(HERE, "../dist", basename(request.url))).pipe(response);
  } else if (request.url === "/ws") response.writeHead(400).end("not an upgrade");
  else response.setHeader("content-type", "text/html").end("<!doctype html>");
});
const upgrader = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) => {
  if (isBlocked) {
    socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  upgrader.handleUpgrade(request, socket, head, (webSocket) => {
    const session = new Session((message) => webSocket.send(JSON.stringify(message)));
    webSocket.on("message", (data) => session.onFrame(JSON.parse(data)));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const ticks = setInterval(() => publish("ticks", "tick"), TICK_MS);

const host = `127.0.0.1:${server.address().port}`;
const script = join(HERE, "blocked.mjs");
const args = [script, `http://${host}/`, `ws://${host}/ws`, "ticks", "echo"];
const judge = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
createInterface({ input: judge.stdout }).on("line", (line) => {
  console.log(line);
  if (line !== "READY FOR WEBSOCKETS") return;
  isBlocked = false;
  judge.stdin.write("OPENED\n");
});
judge.on("exit", (status) => {
  clearInterval(ticks);
  server.closeAllConnections();
  server.close();
  process.exitCode = status ?? 1;
});
