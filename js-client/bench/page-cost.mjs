// Measures the main-thread time and retained memory of 10,000 messages in a page, for the SDK and
// for other clients in turn: node page-cost.mjs [messages] [rounds] [bytes] [client…]
import { createServer } from "node:http";
import { once } from "node:events";
import { launchChromium } from "../browser/chromium.mjs";
import { bundle, CLIENTS } from "./pages.mjs";
import { startServer } from "./servers.mjs";

const [messages = 100_000, rounds = 3, bytes = 512] = process.argv.slice(2, 5).map(Number);
const named = process.argv.slice(5);
const clients = named.length > 0 ? named : CLIENTS;
const PER = 10_000;

const browser = await launchChromium();
const pages = await startPages();
console.log(`${messages} messages of ${bytes} B; for each ${PER}: ms of tasks, ms of script`);
try {
  for (let round = 1; round <= rounds; round++) {
    for (const client of clients) await measure(round, client);
  }
} finally {
  pages.close();
  await browser.close();
}

async function startPages() {
  const scripts = new Map();
  for (const client of clients) scripts.set(`/${client}.js`, await bundle(client));
  const server = createServer((request, response) => {
    const script = scripts.get(request.url);
    response.setHeader("Content-Type", script ? "text/javascript" : "text/html");
    const name = new URL(request.url, "http://page").searchParams.get("client");
    response.end(script ?? `<!doctype html><script type="module" src="/${name}.js"></script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function measure(round, client) {
  const server = await startServer(client, { messages, bytes });
  const page = await browser.newPage();
  try {
    const tools = await page.context().newCDPSession(page);
    await tools.send("Performance.enable");
    await page.goto(`http://127.0.0.1:${pages.address().port}/?client=${client}`);
    await page.waitForFunction(() => typeof globalThis.run === "function");
    const before = await metrics(tools);
    const characters = await page.evaluate(
      ([port, count]) => globalThis.run(port, count),
      [server.port, messages],
    );
    const after = await metrics(tools);
    if (characters !== messages * bytes) throw new Error(`${client} lost something`);
    const cost = (name) => (((after[name] - before[name]) * 1_000 * PER) / messages).toFixed(1);
    const grown = ((after.JSHeapUsedSize - before.JSHeapUsedSize) / 1_024).toFixed(0);
    const costs = `${cost("TaskDuration")} ms, ${cost("ScriptDuration")} ms`;
    console.log(`round ${round} ${client.padEnd(14)} ${costs}; heap ${grown} KiB more`);
  } finally {
    await page.close();
    server.stop();
  }
}

async function metrics(tools) {
  await tools.send("HeapProfiler.collectGarbage");
  const { metrics } = await tools.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}
