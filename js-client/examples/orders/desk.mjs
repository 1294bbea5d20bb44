// The trading desk: answers requests for quotes and executes orders.
//
//   node desk.mjs ws://localhost:8080/ws
import { connect } from "@sluice/client";

const PRICES = { ACME: 101.25, GLOBEX: 48.5, INITECH: 12.75 };
const SPREAD = 0.05;
/** Largest quantity of one fill; larger orders have several. */
const LOT = 60;

// Node 22 and later have a WebSocket; earlier versions require the package "ws".
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

const client = connect(process.argv[2], { WebSocket });
client.on("error", (error) => console.error(error));

await client.serve("quotes", quote, { credit: 20, payload: "json" });
await client.queue("orders").consume(execute, { ack: "manual", credit: 20, payload: "json" });
console.log("The desk is open.");

function quote({ payload: { symbol } }) {
  const price = PRICES[symbol];
  return { symbol, bid: price - SPREAD, ask: price + SPREAD };
}

// All fills and the acknowledgement are one transaction: after a failure in between, the order
// arrives again, and none of its fills exists.
async function execute(order) {
  const { replyTo, correlationId, payload } = order;
  await client.transaction((transaction) => {
    for (const fill of fillsOf(payload)) {
      transaction.publish(replyTo, fill, { correlationId });
    }
    transaction.ack(order);
  });
}

function fillsOf({ id, symbol, side, quantity }) {
  const price = PRICES[symbol] + (side === "buy" ? SPREAD : -SPREAD);
  const fills = [];
  for (let rest = quantity; rest > 0; rest -= LOT) {
    fills.push({ id: `${id}-${fills.length + 1}`, quantity: Math.min(rest, LOT), price });
  }
  return fills;
}
