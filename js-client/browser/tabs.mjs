// Ten tabs that share one connection: node tabs.mjs <ws-url> <topic> <metrics-url>, where messages
// come all the time and no other client connects meanwhile.
//
// Prints TABS SHARE ONE CONNECTION, when all tabs hear messages; SUBSCRIPTIONS HAVE ENDED, when all
// but one were closed without a word and only that one's subscriptions are left, which still hears
// messages; and CONNECTION IS GONE behind the last. Exit status 0; 1 with an explanation otherwise.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "./chromium.mjs";

const WAIT_MS = 60_000;
const TABS = 10;
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

const [url, topic, metricsUrl] = process.argv.slice(2);
if (!url || !topic || !metricsUrl) {
  console.error("usage: node tabs.mjs <ws-url> <topic> <metrics-url>");
  process.exit(2);
}

const server = createServer((request, response) => void serve(request, response));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await launchChromium();
try {
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}

async function judge() {
  const context = await browser.newContext();
  const tabs = await Promise.all(Array.from({ length: TABS }, (_, i) => openTab(context, i)));
  for (const tab of tabs) await hearsMore(tab);
  await metricIs("sluice_connections", 1);
  // The topic of all, and one of each.
  await metricIs("sluice_subscriptions", 1 + TABS);
  console.log("TABS SHARE ONE CONNECTION");
  const last = tabs.pop();
  // Without its unload handlers: a tab has no time to say goodbye.
  await Promise.all(tabs.map((tab) => tab.close({ runBeforeUnload: false })));
  await metricIs("sluice_subscriptions", 2);
  await metricIs("sluice_connections", 1);
  await hearsMore(last);
  console.log("SUBSCRIPTIONS HAVE ENDED");
  await last.close({ runBeforeUnload: false });
  await metricIs("sluice_connections", 0);
  console.log("CONNECTION IS GONE");
}

async function openTab(context, number) {
  const tab = await context.newPage();
  tab.on("console", (message) => console.error(`tab ${number}: ${message.text()}`));
  tab.on("pageerror", (error) => console.error(`tab ${number}: ${error.message}`));
  const query = new URLSearchParams({ url, topic, own: `tabs.${number}` });
  await tab.goto(`http://127.0.0.1:${server.address().port}/browser/tab.html?${query}`);
  return tab;
}

async function hearsMore(tab) {
  const before = await tab.evaluate(() => window.heard);
  await tab.waitForFunction((before) => window.heard > before, before, {
    timeout: WAIT_MS,
    polling: 100,
  });
}

async function metricIs(name, expected) {
  const deadline = Date.now() + WAIT_MS;
  let value;
  while (Date.now() < deadline) {
    value = await metric(name);
    if (value === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`expected ${name} to be ${expected}, it is ${value}`);
}

async function metric(name) {
  const text = await (await fetch(metricsUrl)).text();
  const line = text.split("\n").find((line) => line.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

async function serve(request, response) {
  const path = normalize(new URL(request.url, "http://tabs").pathname);
  const type = path.endsWith(".html") ? "text/html" : "text/javascript";
  try {
    const content = await readFile(join(PACKAGE, path));
    response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(content);
  } catch {
    response.writeHead(404).end("no such file");
  }
}
