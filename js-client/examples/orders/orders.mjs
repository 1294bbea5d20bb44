import { connect } from "@sluice/client";

// For example index.html?url=ws://localhost:8080/ws&trader=ann
const parameters = new URLSearchParams(location.search);
const trader = parameters.get("trader");
const client = connect(parameters.get("url"));
const orders = client.queue("orders");
const quotes = client.queue("quotes");
const fills = client.queue(`fills.${trader}`);

/** Orders of this page by their id, with the ids of their fills. */
const blotter = new Map();

const element = (id) => document.getElementById(id);
const ticket = element("ticket");

client.on("state", ({ status }) => {
  element("state").value = status;
});
client.on("error", show);

element("quote").addEventListener("click", async () => {
  const { symbol } = fields();
  element("price").value = `waiting for ${symbol}`;
  try {
    const { payload } = await quotes.request({ symbol }, { timeout: 5_000, reply: "json" });
    element("price").value = `${payload.symbol} ${payload.bid} to ${payload.ask}`;
    show();
  } catch (error) {
    element("price").value = "none";
    show(error);
  }
});

ticket.addEventListener("submit", async (event) => {
  event.preventDefault();
  const order = { id: crypto.randomUUID(), ...fields() };
  blotter.set(order.id, { order, fills: new Map(), state: "sending" });
  render(order.id);
  try {
    // The broker discards a repeated id: a publish that is repeated after a reconnect is one order.
    await orders.publish(order, {
      id: order.id,
      correlationId: order.id,
      replyTo: { queue: fills.name },
    });
    change(order.id, "working");
  } catch (error) {
    change(order.id, "failed");
    show(error);
  }
});

// A message is acknowledged when the handler returns. After a failure it arrives once more.
await fills.consume(onFill, { credit: 20, payload: "json", onError: show });

function onFill({ payload: fill, correlationId }) {
  // Fills of earlier visits have no row. A fill that arrives again replaces itself.
  const row = blotter.get(correlationId);
  row?.fills.set(fill.id, fill);
  if (row) change(correlationId, filled(row) < row.order.quantity ? "working" : "filled");
}

function change(id, state) {
  const row = blotter.get(id);
  // Fills may arrive before the confirmation of the order.
  if (row.state !== "filled") row.state = state;
  render(id);
}

function render(id) {
  const { order, fills: parts, state } = blotter.get(id);
  const quantity = filled({ fills: parts });
  const value = [...parts.values()].reduce((sum, part) => sum + part.quantity * part.price, 0);
  let row = element(`order-${id}`);
  if (!row) {
    row = element("blotter").insertRow(0);
    row.id = `order-${id}`;
    for (let column = 0; column < 4; column++) row.insertCell();
  }
  row.dataset.state = state;
  const texts = [
    `${order.side} ${order.quantity} ${order.symbol}`,
    quantity,
    quantity > 0 ? (value / quantity).toFixed(2) : "",
    state,
  ];
  // textContent, never innerHTML: messages are untrusted input.
  texts.forEach((text, column) => (row.cells[column].textContent = text));
}

function filled({ fills: parts }) {
  return [...parts.values()].reduce((sum, part) => sum + part.quantity, 0);
}

function fields() {
  const { symbol, side, quantity } = Object.fromEntries(new FormData(ticket));
  return { symbol, side, quantity: Number(quantity) };
}

function show(error) {
  element("error").textContent = error ? `${error.code}: ${error.message}` : "";
}
