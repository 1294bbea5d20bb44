// Tests pages that share a store of received messages: node stored.mjs <ws-url> <topic>. Messages
// with numbers, such as SEQ=7, are published to the topic all the time.
//
// Prints ANOTHER PAGE SHOWS THEM when a second page has the messages of the first one and those
// since, ANOTHER PAGE WRITES when the first one has crashed and a third page has those that the
// second one has stored, and SHOWN WITHOUT A NODE. Each page has received every number once without
// a gap. Exit status 0; 1 with an explanation on failure.
import { launchChromium } from "./chromium.mjs";
import { crash } from "./crash.mjs";
import { servePackage } from "./package-server.mjs";

const WAIT = { timeout: 60_000, polling: 100 };
const MESSAGES = 20;
/** Nothing listens on this port. */
const NO_NODE = "ws://127.0.0.1:1/ws";

const [url, topic] = process.argv.slice(2);
if (!url || !topic) {
  console.error("usage: node stored.mjs <ws-url> <topic>");
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
  const first = await open(context, url);
  await receivesMore(first);
  const second = await open(context, url);
  await shows(second, MESSAGES);
  await receivesMore(second);
  console.log("ANOTHER PAGE SHOWS THEM");
  const { last } = await stateOf(second);
  await crash(first);
  await receivesMore(second);
  const third = await open(context, url);
  await receivesMore(third);
  const { received, stored, last: newest } = await stateOf(third);
  const newestStored = newest - (received - stored);
  if (newestStored <= last)
    throw new Error(`stored up to ${newestStored}, received ${last} before`);
  console.log("ANOTHER PAGE WRITES");
  const alone = await open(context, NO_NODE);
  await shows(alone, MESSAGES);
  console.log("SHOWN WITHOUT A NODE");
}

async function open(context, url) {
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`a page: ${error.message}`));
  await page.goto(server.urlOf("browser/stored.html", { url, topic }));
  return page;
}

async function shows(page, wanted) {
  await page.waitForFunction((wanted) => window.page?.stored >= wanted, wanted, WAIT);
  await stateOf(page);
}

async function receivesMore(page) {
  const wanted = MESSAGES + (await page.evaluate(() => window.page?.received ?? 0));
  await page.waitForFunction((wanted) => window.page?.received >= wanted, wanted, WAIT);
  await stateOf(page);
}

async function stateOf(page) {
  const state = await page.evaluate(() => window.page);
  if (state.problems.length > 0) {
    throw new Error(`expected every number once: ${JSON.stringify(state.problems)}`);
  }
  return state;
}
