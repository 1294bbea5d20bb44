// Measures bytes and script time per message of a client with many topics, after `npm run build`:
// node bench/compressed-frames.mjs [topics] [messages]
//
// The frames are those of a node in `sluice.v1.bin`, compressed by zlib of level 6. Native
// compression sends one topic with references and the others in full, compressed frames send all of
// them with references. Topics have equal rates, in random order.
import { constants, deflateRawSync } from "node:zlib";
import { FrameInflater } from "../dist/transport/compressed-frames.js";

const [topics = 50, messages = 50_000] = process.argv.slice(2).map(Number);
const WARM_UP = 5_000;
const MIN_DEFLATED = 128;
const HEADER = (bytes) => (bytes <= 125 ? 2 : bytes <= 0xffff ? 4 : 10);

let state = 7;
/** Returns a random integer below a limit (mulberry32). */
function below(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

const price = (topic, change = 0) => Number((100 + topic + (below(100) + change) / 100).toFixed(2));

function quote(topic) {
  const [bid, bidSize, askSize] = [price(topic), 100 * below(20), 100 * below(20)];
  return JSON.stringify({ symbol: `S${topic}.N`, bid, ask: bid + 0.02, bidSize, askSize });
}

const books = new Map();
function book(topic) {
  const level = () => [price(topic), 100 * below(50)];
  const known = books.get(topic) ?? {
    symbol: `S${topic}.N`,
    bids: Array.from({ length: 12 }, level),
    asks: Array.from({ length: 12 }, level),
  };
  books.set(topic, known);
  for (const side of [known.bids, known.asks]) if (below(2)) side[below(12)] = level();
  return JSON.stringify(known);
}

function encode(topic, offset, payload) {
  const head = Buffer.alloc(20);
  head.writeUInt32BE(topic);
  head[0] = 1;
  head.writeUInt32BE(offset, 4);
  for (let at = 8; at < 16; at++) head[at] = below(256);
  head.writeUInt32BE(below(50) + 50 * offset, 16);
  return Buffer.concat([head, Buffer.from(payload)]);
}

function deflate(frame, dictionary) {
  const options = { level: 6, finishFlush: constants.Z_SYNC_FLUSH };
  return deflateRawSync(frame, dictionary ? { ...options, dictionary } : options).subarray(0, -4);
}

function measure(name, payloadOf) {
  const previous = new Map();
  const inflater = new FrameInflater();
  const sizes = { plain: 0, native: 0, frames: 0 };
  const sent = [];
  for (let i = 0; i < messages; i++) {
    const topic = below(topics);
    const frame = encode(topic, i, payloadOf(topic));
    const known = previous.get(topic);
    previous.set(topic, frame);
    const next = known && deflate(frame, known);
    const isSelected = topic === 0;
    const large = frame.length >= MIN_DEFLATED ? deflate(frame) : frame;
    const native = isSelected && next ? next : large;
    const content = next ?? large;
    const kind = next ? 0x13 : large === frame ? 0x23 : 0x03;
    const framed = isSelected ? undefined : Uint8Array.from([kind, topic, ...content]);
    if (framed) sent.push({ data: framed.buffer, expected: frame });
    if (i < WARM_UP) continue;
    const length = framed?.length ?? native.length;
    sizes.plain += HEADER(frame.length) + frame.length;
    sizes.native += HEADER(native.length) + native.length;
    sizes.frames += HEADER(length) + length;
  }
  for (const { data, expected } of sent.slice(0, WARM_UP)) {
    if (!expected.equals(Buffer.from(inflater.onReceive(data)))) throw new Error("wrong content");
  }
  const before = process.cpuUsage();
  for (const { data } of sent.slice(WARM_UP)) inflater.onReceive(data);
  const { user, system } = process.cpuUsage(before);
  const count = messages - WARM_UP;
  const each = (bytes) => (bytes / count).toFixed(1);
  const micros = ((user + system) / (sent.length - WARM_UP)).toFixed(2);
  console.log(
    `${name}: ${each(sizes.plain)} B uncompressed, ${each(sizes.native)} B native, ` +
      `${each(sizes.frames)} B with compressed frames, ${micros} µs of script for each`,
  );
}

console.log(`${topics} topics, ${messages} messages, Node ${process.version}`);
measure("quote", quote);
measure("order book", book);
