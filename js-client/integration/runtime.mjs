// Tests the client in the runtime of this script: runtime.mjs <ws-url>
//
// For each transport and encoding it subscribes, publishes with properties, iterates over a
// snapshot and later messages, and closes. Prints a line for each, such as WEBSOCKET BINARY. It
// must exit automatically, as a closed client keeps no process alive. Throws on failure.
import { connect } from "../dist/index.js";

const SENT = 5;
const WAYS = ["websocket", "http"].flatMap((transport) =>
  ["binary", "json"].map((encoding) => ({ transport, encoding })),
);

// Deno has no global process by default, and Node has no Deno.
const [url] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
if (!url) throw new Error("usage: runtime.mjs <ws-url>");

// Node 20 has no WebSocket.
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

for (const { transport, encoding } of WAYS) {
  await judge(transport, encoding);
  console.log(`${transport} ${encoding}`.toUpperCase());
}

async function judge(transport, encoding) {
  const topic = `runtime.${crypto.randomUUID()}`;
  const options = { WebSocket, transports: [transport], encoding };
  const writer = connect(url, options);
  const reader = connect(url, options);
  const errors = [];
  for (const client of [writer, reader]) client.on("error", (error) => errors.push(error));
  try {
    await checkDelivery(writer, topic, "kept");
    await follows(reader, writer, topic);
    expect("nothing goes wrong", errors.length === 0, errors);
    expect("it goes that way", reader.transport === transport, reader.transport);
  } finally {
    writer.close();
    reader.close();
  }
}

/** Gives the node a message for the snapshot, and checks its properties. */
async function checkDelivery(client, topic, text) {
  const properties = { unit: "€", count: 7, ratio: 0.5, isLast: false };
  const received = await new Promise((resolve, reject) => {
    client.subscribe(topic, {
      onMessage: resolve,
      onError: reject,
      onState: ({ status }) => {
        if (status !== "live") return;
        client.publish(topic, JSON.stringify(text), { properties }).catch(reject);
      },
    });
  });
  const came = Object.entries(properties).every(([name, is]) => received.properties[name] === is);
  expect("properties come as they were published", came, received.properties);
}

async function follows(reader, writer, topic) {
  const received = [];
  for await (const message of reader.messages(topic, { from: "snapshot", payload: "json" })) {
    expect("only the snapshot is replayed", message.replayed === (received.length === 0), received);
    expect("nothing is missing", message.gapBefore === undefined, message);
    received.push(message.payload);
    if (received.length > SENT) break;
    // Sequentially: each message has to arrive before the next one is published.
    await writer.publish(topic, new TextEncoder().encode(String(received.length)));
  }
  const wanted = ["kept", ...Array.from({ length: SENT }, (_, i) => i + 1)];
  expect("all come in order", received.join() === wanted.join(), received);
}

function expect(what, holds, actual) {
  if (!holds) throw new Error(`expected that ${what}: ${JSON.stringify(actual)}`);
}
