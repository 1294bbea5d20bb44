// Shows a price and counts messages: node client.mjs ws://127.0.0.1:8000/ws
import { connect } from "@sluice/client";

// Node 22 and later have a WebSocket; earlier versions require the package "ws".
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

const client = connect(process.argv[2], { WebSocket });
let stock = { symbol: "-", price: "-" };
let messages = 0;
let missing = 0;
let repeated = 0;
let last;
let status;

client.on("state", (state) => {
  // Each failed attempt to connect is reported.
  if (state.status !== status) console.log(state.status, state.hello?.node ?? "");
  status = state.status;
});
client.on("moved", ({ from, to }) => console.log(`moved from ${from} to ${to}`));

const subscription = client.subscribe(
  "stocks.7",
  {
    onMessage({ payload }) {
      const { sequence } = payload;
      if (last !== undefined && sequence > last) missing += sequence - last - 1;
      if (last !== undefined && sequence <= last) repeated++;
      last = sequence;
      messages++;
      stock = payload;
    },
    onGap: ({ reason }) => console.log(`messages may be missing: ${reason}`),
  },
  { payload: "json" },
);

setInterval(() => {
  const { since, time = since } = subscription.position ?? {};
  const complete = since === undefined ? 0 : Math.floor((time - since) / 1000);
  console.log(
    `${stock.symbol} ${stock.price}, ${messages} messages, ` +
      `${missing} missing, ${repeated} repeated, complete for ${complete} s`,
  );
}, 1000);
