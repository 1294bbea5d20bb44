// Minimal servers, one per protocol. After a subscription each sends numbered messages, one
// WebSocket frame per message.
import { once } from "node:events";
import { constants, deflateRawSync } from "node:zlib";
import { WebSocketServer } from "ws";

const TOPIC = "stocks.7";
const STREAM = 1;
// Batch size of a busy topic, whose client gets several messages in one read.
const BURST = 100;
const PAUSE_MS = 5;

/** Starts a server of a protocol; `stop` ends it. */
export async function startServer(protocol, { messages, bytes }) {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    perMessageDeflate: protocol === "books-native" && { threshold: 0 },
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  await once(server, "listening");
  server.on("connection", (socket) => {
    const frames = framesOf(protocol, bytes);
    answer(protocol, socket, () => {
      void sendAll(socket, frames, messages);
    });
  });
  return { port: server.address().port, stop: () => server.close() };
}

async function sendAll(socket, frame, messages) {
  for (let sent = 0; sent < messages && socket.readyState === socket.OPEN;) {
    for (let i = 0; i < BURST && sent < messages; i++) socket.send(frame(++sent));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (socket.bufferedAmount > 1 << 20) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const answer = (protocol, socket, begin) => ANSWERS[protocol](socket, begin);

const ANSWERS = {
  "sluice-json": answerSluice,
  "sluice-binary": answerSluice,
  "books-binary": answerSluice,
  "books-native": answerSluice,
  "books-compressed": answerSluice,
  centrifuge(socket, begin) {
    socket.on("message", (data) => {
      for (const line of data.toString().split("\n")) {
        const { id, connect, subscribe } = JSON.parse(line || "{}");
        if (connect) {
          const about = { client: "bench", version: "5.0.0", ping: 25, pong: true };
          socket.send(JSON.stringify({ id, connect: about }));
        }
        if (subscribe) {
          socket.send(JSON.stringify({ id, subscribe: {} }));
          begin();
        }
      }
    });
  },
  nats(socket, begin) {
    const info = { server_id: "bench", version: "2.10.0", proto: 1, max_payload: 1 << 20 };
    socket.send(Buffer.from(`INFO ${JSON.stringify({ ...info, headers: true })}\r\n`));
    socket.on("message", (data) => {
      const text = data.toString();
      if (text.includes("PING\r\n")) socket.send(Buffer.from("PONG\r\n"));
      if (/^SUB /m.test(text)) begin();
    });
  },
  "socket.io"(socket, begin) {
    const times = { pingInterval: 25_000, pingTimeout: 20_000 };
    socket.send(
      `0${JSON.stringify({ sid: "bench", upgrades: [], ...times, maxPayload: 1 << 20 })}`,
    );
    socket.on("message", (data) => {
      const text = data.toString();
      if (text === "40") socket.send('40{"sid":"bench-1"}');
      if (text.startsWith("42")) begin();
    });
  },
  stomp(socket, begin) {
    socket.on("message", (data) => {
      const text = data.toString();
      if (text.startsWith("CONNECT\n")) {
        socket.send("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0");
      }
      if (text.startsWith("SUBSCRIBE\n")) begin();
    });
  },
};

function answerSluice(socket, begin) {
  const say = (frame) => socket.send(JSON.stringify(frame));
  const limits = { messageBytes: 65_536, subscriptions: 1_000, topicLength: 255, topicDepth: 16 };
  const hello = { node: "bench", version: "0.1.0", broker: "up", pingInterval: 25_000 };
  socket.on("message", (data) => {
    const { type, ref, topic } = JSON.parse(data.toString());
    const time = Date.now();
    if (type === "connect") {
      say({
        type: "hello",
        ...hello,
        time,
        limits: { ...limits, publishRate: 100, overlap: 4_096 },
      });
    } else if (type === "ping") {
      say({ type: "pong", ref, time });
    } else if (type === "subscribe") {
      say({
        type: "subscribed",
        ref,
        topic,
        epoch: "1f0a6c2b9d3e4f58",
        offset: 0,
        time,
        channel: 1,
        stream: STREAM,
      });
      begin();
    }
  });
}

const id = (number) => (BigInt(number) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;

function headerOf(offset) {
  const header = Buffer.alloc(20);
  header.writeUInt32BE(0x01_000001);
  header.writeUInt32BE(offset, 4);
  header.writeBigUInt64BE(id(offset), 8);
  header.writeUInt32BE(Date.now() % 2 ** 32, 16);
  return header;
}

/** Returns frames with order books of which each message changes two levels. */
function books(bytes) {
  const level = (number) => [Number((100 + (number % 97) / 100).toFixed(2)), 100 * (number % 89)];
  const levels = Array.from({ length: 24 }, (_, i) => level(31 * i));
  return (offset) => {
    for (const factor of [7, 13]) levels[(factor * offset) % levels.length] = level(offset * 53);
    const text = JSON.stringify({ symbol: "ACME.N", bids: levels.slice(12), asks: levels });
    return Buffer.concat([headerOf(offset), Buffer.from(text.padEnd(bytes).slice(0, bytes))]);
  };
}

/** Returns frames that are compressed with the previous message. */
function compressed(frames) {
  let previous;
  return (offset) => {
    const message = frames(offset);
    const options = { level: 6, finishFlush: constants.Z_SYNC_FLUSH };
    const content = deflateRawSync(
      message,
      previous ? { ...options, dictionary: previous } : options,
    );
    const kind = previous ? 0x13 : 0x03;
    previous = message;
    return Buffer.concat([Buffer.of(kind, STREAM), content.subarray(0, -4)]);
  };
}

/** Returns a function from a message's number to its frame. */
function framesOf(protocol, bytes) {
  const text = "x".repeat(bytes);
  const payload = Buffer.from(text);
  switch (protocol) {
    case "sluice-json":
      return (offset) =>
        JSON.stringify({
          type: "message",
          topic: TOPIC,
          offset,
          id: id(offset).toString(16).padStart(16, "0"),
          time: Date.now(),
          payload: text,
        });
    case "sluice-binary":
      return (offset) => Buffer.concat([headerOf(offset), payload]);
    case "books-binary":
    case "books-native":
      return books(bytes);
    case "books-compressed":
      return compressed(books(bytes));
    case "centrifuge":
      return (offset) =>
        JSON.stringify({ push: { channel: TOPIC, pub: { data: { text }, offset } } });
    case "socket.io":
      return (offset) => `42${JSON.stringify([TOPIC, { text, offset }])}`;
    case "stomp":
      return (offset) => {
        const about = `subscription:sub-0\ndestination:${TOPIC}\nmessage-id:${offset}`;
        return `MESSAGE\n${about}\ncontent-length:${bytes}\n\n${text}\0`;
      };
    case "nats":
      return () => Buffer.from(`MSG ${TOPIC} 1 ${String(bytes)}\r\n${text}\r\n`);
    default:
      throw new Error(`no protocol ${protocol}`);
  }
}
