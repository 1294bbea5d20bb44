// Client of CompressionClientsIT: checks the checksums of messages, with `ws` or in Chromium.
// Usage: compression-reader.mjs ws|chromium URL TOPIC LAST
//
// Connects again after a random number of messages, mostly from its position, until it has received
// message LAST. Prints the number of messages and connections; exit code 1 if a message is changed.
import { launchChromium } from "./chromium.mjs";
import { WebSocket } from "ws";

const [kind, url, topic, last] = process.argv.slice(2);

/** Runs in Chromium, too; uses no other function of this file. */
async function read(Socket, address, subject, end) {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    return c;
  });
  const crc = (text) => {
    let c = -1;
    for (const byte of new TextEncoder().encode(text)) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ -1) >>> 0;
  };
  const result = { connections: 0, messages: 0, extensions: "", failure: "" };
  let position;
  let done = false;

  const connect = () =>
    new Promise((resolve) => {
      const socket = new Socket(address, "sluice.v1.json");
      let left = 1 + Math.floor(Math.random() * 4000);
      let epoch;
      socket.onopen = () => {
        result.connections++;
        result.extensions = socket.extensions;
        const from = Math.random() < 0.75 ? position : undefined;
        const frame = { type: "subscribe", ref: 1, topic: subject, from: from ?? { last: 50 } };
        socket.send(JSON.stringify(frame));
      };
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "subscribed") epoch = frame.epoch;
        if (frame.type !== "message" || done || left <= 0) return;
        const [, number, sum, text] = /^SEQ=(\d+) CRC=(\d+) (.*)$/s.exec(frame.payload) ?? [];
        if (sum === undefined || crc(text) !== Number(sum)) {
          result.failure ||= `message ${number} is changed: ${frame.payload}`;
        }
        result.messages++;
        position = { epoch, offset: frame.offset, ids: [] };
        done = number === end || result.failure !== "";
        if (done || --left === 0) socket.close();
      };
      socket.onclose = ({ code, reason }) => {
        const expected = [1000, 1005, 1006, 4000];
        if (!expected.includes(code)) result.failure ||= `closed with ${code} ${reason}`;
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

async function readInChromium() {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    return await page.evaluate(
      ([source, ...args]) => (0, eval)(`(${source})`)(WebSocket, ...args),
      [read.toString(), url, topic, last],
    );
  } finally {
    await browser.close();
  }
}

const result =
  kind === "chromium" ? await readInChromium() : await read(WebSocket, url, topic, last);
console.log(JSON.stringify(result));
process.exit(result.failure === "" ? 0 : 1);
