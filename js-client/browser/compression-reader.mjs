// Client of CompressionClientsIT: checks offsets and checksums of messages, with `ws` or in a
// browser. Usage: compression-reader.mjs ws|chromium|firefox URL TOPIC MESSAGES READERS SLOW
//
// Each of READERS connections receives its part of MESSAGES. It connects again after a random
// number of messages, mostly from its position. The first SLOW of them stop reading at times.
// Prints the number of messages and connections; exit code 1 if a message is changed or missing.
import { createServer } from "node:http";
import { launchChromium } from "./chromium.mjs";
import { launchFirefox } from "./firefox.mjs";
import { WebSocket } from "ws";

const [kind, url, topic, messages, count, slow] = process.argv.slice(2);
const readers = Array.from({ length: Number(count) }, (_, i) => ({
  url,
  topic,
  messages: Math.ceil(messages / count),
  slow: i < slow,
}));

/** Runs in workers of browsers, too; uses no other function of this file. */
async function read(Socket, { url, topic, messages, slow }) {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    return c;
  });
  const encoder = new TextEncoder();
  const crc = (text) => {
    let c = -1;
    for (const byte of encoder.encode(text)) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ -1) >>> 0;
  };
  // A worker cannot pause its socket: its thread stops reading instead.
  const pause = (socket, ms) => {
    if (socket.pause) {
      socket.pause();
      setTimeout(() => socket.resume(), ms);
    } else {
      const end = performance.now() + ms;
      while (performance.now() < end);
    }
  };
  const result = { connections: 0, resumes: 0, gaps: 0, messages: 0, extensions: "", failure: "" };
  let position;
  let done = false;

  const connect = () =>
    new Promise((resolve) => {
      const socket = new Socket(url, "sluice.v1.json");
      let left = 1 + Math.floor(Math.random() * Math.min(4000, messages / 4));
      let epoch;
      let expected;

      const onMessage = ({ offset, payload }) => {
        if (expected !== undefined && offset !== expected) {
          result.failure ||= `offset ${offset} instead of ${expected}`;
        }
        expected = offset + 1;
        const [, number, sum, text] = /^SEQ=(\d+) CRC=(\d+) (.*)$/s.exec(payload) ?? [];
        if (sum === undefined || crc(text) !== Number(sum)) {
          result.failure ||= `message ${number} is changed: ${payload}`;
        }
        position = { epoch, offset, ids: [] };
        done = ++result.messages === messages || result.failure !== "";
        if (done || --left === 0) socket.close();
        else if (slow && Math.random() < 0.0005) pause(socket, Math.random() * 1500);
      };

      socket.onopen = () => {
        result.connections++;
        result.extensions = socket.extensions;
        const resumes = position && Math.random() < 0.75;
        if (resumes) result.resumes++;
        const from = resumes ? position : Math.random() < 0.5 ? "snapshot" : { last: 50 };
        socket.send(JSON.stringify({ type: "subscribe", ref: 1, topic, from }));
      };
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "subscribed") epoch = frame.epoch;
        if (frame.type === "error") result.failure ||= data;
        if (frame.type === "gap") {
          result.gaps++;
          expected = undefined;
        }
        if (frame.type === "message" && !done && left > 0) onMessage(frame);
      };
      socket.onclose = ({ code, reason }) => {
        const allowed = [1000, 1005, 4000];
        if (slow) allowed.push(1006); // the node resets a connection that is not read
        if (!allowed.includes(code)) result.failure ||= `closed with ${code} ${reason}`;
        done ||= result.failure !== "";
        resolve();
      };
      socket.onerror = () => {
        // onclose follows
      };
    });

  while (!done) await connect();
  return result;
}

/** Page that reads with one worker per reader and then posts the results. */
function page() {
  const script = (source, options) => {
    const start = (each) =>
      new Promise((resolve) => {
        const code = `(${source})(WebSocket, ${JSON.stringify(each)}).then((r) => postMessage(r))`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => resolve({ failure: `worker: ${message}` });
      });
    void Promise.all(options.map(start)).then((results) =>
      fetch("/results", { method: "POST", body: JSON.stringify(results) }),
    );
  };
  return `<script>(${script})(${JSON.stringify(read.toString())}, ${JSON.stringify(readers)})</script>`;
}

/* global Blob, Worker */
async function readIn(launch) {
  const server = createServer();
  const posted = new Promise((resolve) => {
    server.on("request", async (request, response) => {
      if (request.method !== "POST") {
        response.setHeader("Content-Type", "text/html").end(request.url === "/" ? page() : "");
        return;
      }
      let body = "";
      for await (const part of request) body += part;
      response.end();
      resolve(JSON.parse(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = await launch(`http://127.0.0.1:${server.address().port}/`);
  try {
    return await posted;
  } finally {
    await close();
    server.closeAllConnections();
    server.close();
  }
}

async function openInChromium(address) {
  const browser = await launchChromium();
  const opened = await browser.newPage();
  await opened.goto(address);
  return () => browser.close();
}

const launchers = { chromium: openInChromium, firefox: launchFirefox };
const results = launchers[kind]
  ? await readIn(launchers[kind])
  : await Promise.all(readers.map((options) => read(WebSocket, options)));
const total = (name) => results.reduce((sum, each) => sum + each[name], 0);
const failures = results.map(({ failure }) => failure).filter(Boolean);
console.log(
  JSON.stringify({
    messages: total("messages"),
    connections: total("connections"),
    resumes: total("resumes"),
    gaps: total("gaps"),
    extensions: results[0].extensions,
    failures,
  }),
);
process.exit(failures.length === 0 ? 0 : 1);
