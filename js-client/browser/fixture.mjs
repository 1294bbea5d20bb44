// Stub of gateway and feed for work on the page: node browser/fixture.mjs [port]. It serves the
// page under the gateway's Content-Security-Policy, with random prices. Commands on stdin: stale,
// live, gap, drain, pause, resume, cut.
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { WallClock } from "../../gateway/src/main/resources/demo/wall-clock.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PAGE = join(HERE, "../../gateway/src/main/resources/demo");
const SDK = join(HERE, "../dist");
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const NAMES = (
  "Acorn Mills,Baltic Grain,Cobalt Works,Delta Optics,Ember Energy,Fjord Shipping,Granite Homes," +
  "Harbor Foods,Iris Health,Juniper Paper"
).split(",");

/** Starts the server; `setPrices(false)` stops the prices. */
export async function startFixture(port = 0) {
  const server = createServer((request, response) => void servePage(request, response));
  const sockets = new WebSocketServer({ server, path: "/ws", handleProtocols: () => BINARY });
  const market = new Market();
  sockets.on("connection", (socket) => new FixtureSession(socket, market));
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    port: server.address().port,
    setPrices: (on) => market.run(on),
    tell: (frame) => {
      for (const socket of sockets.clients) socket.send(JSON.stringify(frame));
    },
    cut: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    async stop() {
      market.run(false);
      for (const socket of sockets.clients) socket.close(1001);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const BINARY = "sluice.v1.bin";
const OVERLOAD = { type: "gap", topic: "stocks.>", reason: "overload" };
const EPOCH = "00000000000000aa";

async function servePage(request, response) {
  const path = normalize(new URL(request.url, "http://fixture").pathname);
  const inSdk = path.startsWith("/sluice/");
  const file = inSdk
    ? join(SDK, path.slice("/sluice/".length))
    : join(PAGE, path === "/" ? "index.html" : path);
  response.setHeader("Content-Security-Policy", "default-src 'self'; connect-src 'self' ws: wss:");
  try {
    await access(file);
  } catch {
    response.writeHead(404).end("no such file");
    return;
  }
  response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
  createReadStream(file).pipe(response);
}

/** One hundred prices on a random walk, with ten changes a second each, spread evenly. */
class Market {
  listeners = new Set();
  #stocks = Array.from({ length: 100 }, (_, i) => {
    const price = 20 + Math.round(Math.random() * 40_000) / 100;
    const name = `${NAMES[i % 10]} ${["Group", "Holdings", "International"][i % 3]}`;
    const letters = name.slice(0, 2).toUpperCase();
    const symbol = `${letters}${String.fromCharCode(65 + (i % 26), 65 + ((i * 7) % 26))}`;
    return { symbol, name, price, open: price, volume: 0, seq: 0 };
  });
  #clock = new WallClock();
  #next = 0;
  #timer;

  constructor() {
    this.run(true);
  }

  run(on) {
    clearInterval(this.#timer);
    if (on) this.#timer = setInterval(() => this.#step(), 10);
  }

  #step() {
    for (let i = 0; i < 10; i++) this.#move(this.#next++ % 100);
  }

  #move(index) {
    const stock = this.#stocks[index];
    const drift = stock.price * 0.0008 * (Math.random() + Math.random() - 1);
    if (Math.random() < 0.4)
      stock.price = Math.max(1, Math.round((stock.price + drift) * 100) / 100);
    stock.volume += Math.round(Math.random() * 100);
    const { symbol, name, price, open, volume } = stock;
    const change = Math.round((price - open) * 100) / 100;
    const nanoseconds = BigInt(Math.round(this.#clock.now() * 1e3)) * 1000n;
    const json = JSON.stringify({ symbol, name, price, change, open, volume });
    const payload = `TS=${nanoseconds} SEQ=${++stock.seq} ${json}`.padEnd(512);
    for (const listener of this.listeners) listener(index, payload);
  }
}

/** Protocol stub for one page with one subscription. */
class FixtureSession {
  #socket;
  #market;
  #pattern;
  #announced = new Set();
  #offset = 1_000;
  // Part of the message ids, which differ between sessions.
  #session = Math.floor(Math.random() * 2 ** 32);

  constructor(socket, market) {
    this.#socket = socket;
    this.#market = market;
    socket.on("message", (data) => this.#onFrame(JSON.parse(data)));
    socket.on("close", () => market.listeners.delete(this.#onPrice));
  }

  #onFrame({ type, ref, topic, from }) {
    if (type === "connect") this.#send(hello());
    if (type === "ping") this.#send({ type: "pong", ref, time: Date.now() });
    if (type !== "subscribe") return;
    this.#pattern = topic;
    const recovered = typeof from === "object" ? false : undefined;
    const start = { epoch: EPOCH, offset: this.#offset, time: Date.now() };
    this.#send({ type: "subscribed", ref, topic, ...start, recovered });
    this.#market.listeners.add(this.#onPrice);
  }

  #onPrice = (index, payload) => {
    const channel = index + 1;
    if (!this.#announced.has(channel)) {
      this.#announced.add(channel);
      this.#send({ type: "channel", channel, pattern: this.#pattern, topic: `stocks.${index}` });
    }
    const header = Buffer.alloc(20);
    header.writeUInt32BE(channel, 0);
    header[0] = 0x01;
    header.writeUInt32BE(++this.#offset, 4);
    header.writeUInt32BE(this.#session, 8);
    header.writeUInt32BE(this.#offset, 12);
    header.writeUInt32BE(Date.now() % 2 ** 32, 16);
    this.#socket.send(Buffer.concat([header, Buffer.from(payload)]));
  };

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }
}

function hello() {
  const limits = {
    messageBytes: 65536,
    subscriptions: 1000,
    topicLength: 255,
    topicDepth: 16,
    publishRate: 100,
    overlap: 4096,
  };
  const node = { node: "fixture", version: "0.1.0", time: Date.now(), broker: "up" };
  return { type: "hello", ...node, pingInterval: 25000, limits };
}

async function main() {
  const fixture = await startFixture(Number(process.argv[2] ?? 8080));
  console.log(fixture.url);
  const commands = {
    stale: () => fixture.tell({ type: "stale" }),
    live: () => fixture.tell({ type: "live" }),
    gap: () => fixture.tell({ ...OVERLOAD, offset: 0, time: Date.now() }),
    drain: () => fixture.tell({ type: "draining", deadline: Date.now() + 10_000 }),
    pause: () => fixture.setPrices(false),
    resume: () => fixture.setPrices(true),
    cut: () => fixture.cut(),
  };
  createInterface({ input: process.stdin }).on("line", (line) => commands[line.trim()]?.());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
