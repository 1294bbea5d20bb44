// Wires the parts of the page: client, market, views and controls.
import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { ConnectionView } from "./connection-view.js";
import { Continuity } from "./continuity.js";
import { deliveryOptions } from "./delivery.js";
import { connectToDemo } from "./demo-client.js";
import { DemoServer } from "./demo-server.js";
import { Faults } from "./faults.js";
import { Freshness } from "./freshness.js";
import { Gauges } from "./gauges.js";
import { Market } from "./market.js";
import { parseStock } from "./stock.js";
import { Savings } from "./savings.js";
import { Summary } from "./summary.js";
import { Tabs } from "./tabs.js";
import { WallClock } from "./wall-clock.js";

const PATTERN = "stocks.>";

const demo = await new DemoServer([""]).state();
const ports = demo?.ports ?? [];
const others = ports.filter((port) => String(port) !== location.port);
const origins = [
  location.origin,
  ...others.map((port) => `${location.protocol}//${location.hostname}:${port}`),
];
const shared = new URLSearchParams(location.search).has("shared");
const { client, connections } = connectToDemo(origins, shared);

const clock = new WallClock();
const market = new Market();
const freshness = new Freshness();
const continuity = new Continuity();
const tabs = new Tabs(document);
const chart = new Chart(document);
const board = new Board(document.querySelector("[data-testid=board]"), select);
const summary = new Summary(document, market.indices, select);
const gauges = new Gauges(document);
const view = new ConnectionView(document, () => client.retryNow());
const faults = new Faults(document, connections);
let subscription;
let broken;

/** Returns the browser's clock corrected to the node's, unless the difference is negligible. */
function nodeNow() {
  const { offset, uncertainty } = client.clockOffset ?? { offset: 0, uncertainty: 0 };
  return clock.now() + (Math.abs(offset) <= uncertainty ? 0 : offset);
}

function select(entry) {
  chart.show(entry);
  board.select(entry);
  tabs.show("market");
}

function subscribe(delivery) {
  subscription?.unsubscribe();
  continuity.onSubscribe(delivery === "all");
  const observer = {
    onMessage,
    onGap: ({ reason }) => continuity.onGap(reason),
    onError: (error) => view.onRefused(error),
  };
  subscription = client.subscribe(PATTERN, observer, deliveryOptions(delivery));
}

function onMessage({ topic, payload, replayed }) {
  gauges.onMessage();
  const stock = parseStock(payload);
  if (!stock) return;
  if (!replayed) gauges.onLatency(nodeNow() - stock.sentAt);
  freshness.onMessage(stock.sentAt);
  continuity.onMessage(topic, stock.sequence, replayed, performance.now());
  const entry = market.onStock(topic, stock);
  if (!entry) return;
  board.onEntry(entry);
  if (!chart.entry) select(entry);
}

function onState(state) {
  view.onState(state);
  continuity.onState(state.status, performance.now());
  board.setFresh(state.status === "open");
  faults.onNode(state.hello && demo?.nodes[state.hello.node]);
}

if (demo) {
  const server = new DemoServer(origins);
  faults.onDemo(server, demo);
  new Savings(document).watch(server);
}
client.on("hello", () => continuity.onHello(performance.now()));
client.on("state", onState);
client.on("error", (error) => {
  broken = error;
  console.warn(`sluice: ${error.code}: ${error.message}`);
});
onState(client.state);
for (const input of document.querySelectorAll("[name=delivery]")) {
  input.addEventListener("change", () => subscribe(input.value));
  if (input.checked) subscribe(input.value);
}

// Reconnects at once when the network or the user returns.
window.addEventListener("online", () => client.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") client.retryNow();
});

// Messages only change the model; the page is drawn once per animation frame.
function draw(now) {
  const sampled = market.sample(now);
  board.draw(sampled);
  if (sampled) {
    summary.draw(market);
    chart.invalidate();
  }
  chart.draw();
  gauges.draw(now, continuity);
  const lag = freshness.at(nodeNow());
  view.draw({ rows: market.size, quietMs: gauges.quietMs(now), lag, broken });
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
