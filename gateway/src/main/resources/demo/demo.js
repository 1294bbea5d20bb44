// Wires the parts of the page: client, board, gauges and connection view.
import { connect } from "./sluice/index.js";
import { Board } from "./board.js";
import { ConnectionView } from "./connection-view.js";
import { Gauges } from "./gauges.js";
import { parseStock } from "./stock.js";
import { WallClock } from "./wall-clock.js";

const PATTERN = "stocks.>";

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const client = connect(`${scheme}//${location.host}/ws`, {
  minBackoff: 500,
  maxBackoff: 5_000,
});
const clock = new WallClock();
const board = new Board(document.querySelector("[data-testid=board]"));
const gauges = new Gauges(document.querySelector(".gauges"));
const view = new ConnectionView(document, () => client.retryNow());
let broken;

/** Returns the browser's clock corrected to the node's, unless the difference is negligible. */
function nodeNow() {
  const { offset, uncertainty } = client.clockOffset ?? {
    offset: 0,
    uncertainty: 0,
  };
  return clock.now() + (Math.abs(offset) <= uncertainty ? 0 : offset);
}

function onMessage({ topic, payload }) {
  gauges.onMessage();
  const stock = parseStock(payload);
  if (!stock) return;
  gauges.onLatency(nodeNow() - stock.sentAt);
  board.onStock(topic, stock);
}

function onState(state) {
  view.onState(state);
  board.setFresh(state.status === "open");
}

client.subscribe(PATTERN, {
  onMessage,
  onGap: ({ reason }) => gauges.onGap(reason),
  onError: (error) => view.onRefused(error),
});
client.on("state", onState);
client.on("error", (error) => {
  broken = error;
  console.warn(`sluice: ${error.code}: ${error.message}`);
});
onState(client.state);

// Reconnects at once when the network or the user returns.
window.addEventListener("online", () => client.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") client.retryNow();
});

// Messages only change the model; the page is drawn once per animation frame.
function draw(now) {
  board.draw(now);
  gauges.draw(now);
  view.draw({ rows: board.size, quietMs: gauges.quietMs(now), broken });
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
