// Tests ten tabs that share one connection: node tabs.mjs <ws-url> <topic> <metrics-url>. Messages
// are published to the topic all the time, and no other client connects.
//
// Prints TABS SHARE ONE CONNECTION when all tabs receive messages, and ONE HAS CRASHED when the
// others continue. Prints SUBSCRIPTIONS HAVE ENDED when all but one were closed abruptly and only
// the subscriptions of that one are left, and CONNECTION IS GONE after the last. Then three more
// tabs open, and the first one crashes, whose process has the worker in Chromium. Prints ANOTHER
// WORKER GOES ON when the others receive messages over one connection again, every number once.
// Exit status 0; 1 with an explanation on failure.
import { launchChromium } from "./chromium.mjs";
import { crash } from "./crash.mjs";
import { servePackage } from "./package-server.mjs";

const WAIT_MS = 60_000;
const WAIT = { timeout: WAIT_MS, polling: 100 };
const TABS = 10;

const [url, topic, metricsUrl] = process.argv.slice(2);
if (!url || !topic || !metricsUrl) {
  console.error("usage: node tabs.mjs <ws-url> <topic> <metrics-url>");
  process.exit(2);
}

const server = await servePackage();
const browser = await launchChromium();
try {
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.stop();
}

async function judge() {
  const context = await browser.newContext();
  const tabs = await Promise.all(Array.from({ length: TABS }, (_, i) => openTab(context, i)));
  for (const tab of tabs) await receivesMore(tab);
  await metricIs("sluice_connections", 1);
  // One topic of all tabs, and one of each.
  await metricIs("sluice_subscriptions", 1 + TABS);
  console.log("TABS SHARE ONE CONNECTION");
  // Not the first one, see below.
  await crash(tabs.splice(TABS / 2, 1)[0]);
  await metricIs("sluice_subscriptions", TABS);
  for (const tab of tabs) await receivesMore(tab);
  await metricIs("sluice_connections", 1);
  console.log("ONE HAS CRASHED");
  const last = tabs.pop();
  // Without unload handlers, so a tab cannot unsubscribe.
  await Promise.all(tabs.map((tab) => tab.close({ runBeforeUnload: false })));
  await metricIs("sluice_subscriptions", 2);
  await metricIs("sluice_connections", 1);
  await receivesMore(last);
  console.log("SUBSCRIPTIONS HAVE ENDED");
  await last.close({ runBeforeUnload: false });
  await metricIs("sluice_connections", 0);
  console.log("CONNECTION IS GONE");
  const first = await openTab(context, 0);
  await receivesMore(first);
  const others = [await openTab(context, 1), await openTab(context, 2)];
  for (const tab of others) await receivesMore(tab);
  await crash(first);
  for (const tab of others) {
    await tab.waitForFunction(() => window.losses > 0, undefined, WAIT);
  }
  for (const tab of others) await receivesMore(tab);
  await metricIs("sluice_connections", 1);
  for (const tab of others) {
    const flaws = await tab.evaluate(() => window.flaws);
    if (flaws.length > 0) throw new Error(`the crash was noticed: ${JSON.stringify(flaws)}`);
  }
  console.log("ANOTHER WORKER GOES ON");
}

async function openTab(context, number) {
  const tab = await context.newPage();
  tab.on("console", (message) => console.error(`tab ${number}: ${message.text()}`));
  tab.on("pageerror", (error) => console.error(`tab ${number}: ${error.message}`));
  await tab.goto(server.urlOf("browser/tab.html", { url, topic, own: `tabs.${number}` }));
  return tab;
}

async function receivesMore(tab) {
  const before = await tab.evaluate(() => window.received);
  await tab.waitForFunction((before) => window.received > before, before, WAIT);
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
