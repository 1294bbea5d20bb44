// Measures the main thread's CPU time for 10,000 messages in a page, and the memory that it retains
// after all messages, for the SDK and for other clients in turn:
// node page-cost.mjs [messages] [rounds] [bytes] [client…]
//
// Prints each round, and the medians with their ratio to the first client. The environment variable
// CSV names a file to write the rounds to.
import { createServer } from "node:http";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { launchChromium } from "../browser/chromium.mjs";
import { bundle, CLIENTS, nameOf } from "./pages.mjs";
import { startServer } from "./servers.mjs";

const [messages = 100_000, rounds = 3, bytes = 512] = process.argv.slice(2, 5).map(Number);
const named = process.argv.slice(5);
const clients = named.length > 0 ? named : CLIENTS;
const PER = 10_000;
const COLUMNS = ["tasks_ms", "script_ms", "heap_kib"];
const results = [];

const browser = await launchChromium();
const pages = await startPages();
console.log(`${messages} messages of ${bytes} B; CPU time for each ${PER}, heap after all`);
try {
  for (let round = 1; round <= rounds; round++) {
    for (const client of clients) await measure(round, client);
  }
} finally {
  pages.close();
  await browser.close();
}
printMedians();
if (process.env.CSV) writeCsv(process.env.CSV);

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
    // CPU time, which other processes of the machine do not change.
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(`http://127.0.0.1:${pages.address().port}/?client=${client}`);
    await page.waitForFunction(() => typeof globalThis.run === "function");
    const before = await metrics(tools);
    const characters = await page.evaluate(
      ([port, count]) => globalThis.run(port, count),
      [server.port, messages],
    );
    const after = await metrics(tools);
    if (characters !== messages * bytes) throw new Error(`${client} lost something`);
    const cost = (name) => ((after[name] - before[name]) * PER) / messages;
    const heap = (after.JSHeapUsedSize - before.JSHeapUsedSize) / 1_024;
    const result = [cost("TaskDuration") * 1_000, cost("ScriptDuration") * 1_000, heap];
    results.push({ client, round, values: result.map((value) => Number(value.toFixed(1))) });
    console.log(`round ${round} ${nameOf(client)}: ${text(results.at(-1).values)}`);
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

function printMedians() {
  const medians = clients.map((client) => {
    const values = results.filter((result) => result.client === client).map((r) => r.values);
    return { client, values: COLUMNS.map((_, i) => median(values.map((round) => round[i]))) };
  });
  const [first] = medians;
  for (const { client, values } of medians) {
    const [tasks, script] = values.map((value, i) => (value / first.values[i]).toFixed(2));
    const ratios = `tasks ×${tasks}, script ×${script}`;
    console.log(`median ${nameOf(client)}: ${text(values)}; ${ratios}`);
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function text([tasks, script, heap]) {
  return `tasks ${tasks} ms, script ${script} ms, heap ${heap} KiB`;
}

function writeCsv(path) {
  const rows = results.map(({ client, round, values }) => [
    `"${nameOf(client)}"`,
    round,
    ...values,
  ]);
  const header = ["client", "round", ...COLUMNS];
  writeFileSync(path, [header, ...rows].map((row) => `${row.join(",")}\n`).join(""));
}
