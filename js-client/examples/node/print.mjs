// Prints messages: node print.mjs ws://localhost:8080/ws stocks.7
import { connect } from "@sluice/client";

const [url, topic] = process.argv.slice(2);

// Node 22 and later have a WebSocket; earlier versions require the package "ws".
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

const client = connect(url, { WebSocket });

client.on("state", ({ status }) => console.error(`connection: ${status}`));

client.subscribe(
  topic,
  {
    onMessage: (message) => console.log(`${message.topic}: ${message.payload}`),
    onGap: ({ reason }) => console.error(`messages may be missing here: ${reason}`),
  },
  { from: "snapshot" },
);

// The connection keeps the process alive; Ctrl-C ends both.
process.on("SIGINT", () => client.close());
