// Tests pages in a real browser behind a proxy: node proxied.mjs <page-url> <topic>
// <publish-topic> <quiet-ms>
//
// The proxy serves the page, and passes /sluice.js, /ws and /stream to a node. The node sends
// messages of <topic> all the time. Connections without messages must stay open for <quiet-ms>,
// which is longer than the idle timeouts of the proxy.
//
// Prints BY WEBSOCKET and BY HTTP when messages flow; then ADDRESS?, after which the caller checks
// the addresses of the clients at the node, and writes the line CHECKED; then STAY OPEN and FOREIGN
// PAGE REFUSED. Exit status 0; 1 with an explanation on failure.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { launchChromium } from "./chromium.mjs";
import { loadPage } from "./page-load.mjs";

const WAIT_MS = 60_000;
const MESSAGES = 5;

const [pageUrl, topic, publishTopic, quietMs] = process.argv.slice(2);
if (!quietMs) {
  console.error("usage: node proxied.mjs <page-url> <topic> <publish-topic> <quiet-ms>");
  process.exit(2);
}

const lines = createInterface({ input: process.stdin });
const checked = new Promise((resolve) => {
  lines.on("line", (line) => line.trim() === "CHECKED" && resolve());
});
const browser = await launchChromium();
const context = await browser.newContext({ ignoreHTTPSErrors: true });
const foreign = createServer((_, response) => {
  response.setHeader("content-type", "text/html").end("<!doctype html>");
});
await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
const pages = [];
try {
  for (const transport of ["websocket", "http"]) await openPage(transport);
  console.log("ADDRESS?");
  await checked;
  for (const page of pages) await staysOpen(page);
  console.log("STAY OPEN");
  await isRefused();
  console.log("FOREIGN PAGE REFUSED");
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  for (const page of pages) {
    console.log(await page.evaluate(() => JSON.stringify(globalThis.seen)).catch(String));
  }
  process.exitCode = 1;
} finally {
  lines.close();
  foreign.close();
  await browser.close();
}

async function openPage(transport) {
  const page = await context.newPage();
  page.transport = transport;
  pages.push(page);
  await loadPage(page, async () => {
    await page.goto(pageUrl);
    await page.evaluate(openClients, { transport, topic, publishTopic });
    await messagesFlow(page);
  });
}

/** Runs in the page. Blocked WebSockets have a path that the proxy does not upgrade. */
async function openClients({ transport, topic, publishTopic }) {
  const { connect } = await import("/sluice.js");
  const Native = globalThis.WebSocket;
  class Blocked extends Native {
    constructor(url, protocols) {
      super(String(url).replace("/ws", "/blocked"), protocols);
    }
  }
  const options = transport === "http" ? { WebSocket: Blocked } : {};
  const seen = { count: 0, echoes: 0, errors: [], quietSince: undefined, status: "" };
  const busy = connect("/ws", options);
  const quiet = connect("/ws", options);
  for (const client of [busy, quiet]) {
    client.on("error", (error) => seen.errors.push(String(error)));
  }
  quiet.on("state", ({ status }) => {
    seen.status = status;
    seen.quietSince = status === "open" ? performance.now() : undefined;
  });
  busy.subscribe(topic, () => seen.count++);
  busy.subscribe(publishTopic, {
    onMessage: () => seen.echoes++,
    onState: ({ status }) => {
      if (status === "live" && seen.echoes === 0) busy.publish(publishTopic, "echo");
    },
  });
  quiet.subscribe(`${publishTopic}.quiet`, () => undefined);
  globalThis.seen = seen;
  globalThis.clients = [busy, quiet];
}

async function messagesFlow(page) {
  const by = page.transport;
  const wanted = { by, count: MESSAGES };
  await expect(
    page,
    `messages arrive by ${by}, also those that the page publishes`,
    ({ by, count }) =>
      globalThis.clients.every(({ transport }) => transport === by) &&
      globalThis.seen.count >= count &&
      globalThis.seen.echoes > 0,
    wanted,
  );
  const errors = await page.evaluate(() => globalThis.seen.errors);
  if (errors.length > 0) throw new Error(`expected no error by ${by}, not ${errors}`);
  console.log(`BY ${by.toUpperCase()}`);
}

/** The connection without messages has been open for long enough, since its start or later. */
async function staysOpen(page) {
  const isOld = (quietMs) => performance.now() - globalThis.seen.quietSince > quietMs;
  await expect(page, `a quiet connection by ${page.transport} stays open`, isOld, Number(quietMs));
}

async function isRefused() {
  const page = await context.newPage();
  const { host, protocol } = new URL(pageUrl);
  await page.goto(`http://127.0.0.1:${foreign.address().port}/`);
  const got = await page.evaluate(
    async ({ http, webSocket }) => {
      const { status } = await fetch(http);
      const opened = await new Promise((resolve) => {
        const socket = new globalThis.WebSocket(webSocket);
        socket.addEventListener("open", () => resolve(true));
        socket.addEventListener("close", () => resolve(false));
      });
      return `${status} ${opened}`;
    },
    {
      http: `${protocol}//${host}/ws`,
      webSocket: `${protocol === "https:" ? "wss" : "ws"}://${host}/ws`,
    },
  );
  if (got !== "403 false") throw new Error(`expected a refusal with 403, not ${got}`);
}

async function expect(page, what, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: WAIT_MS, polling: 100 });
  } catch (cause) {
    throw new Error(`expected that ${what}`, { cause });
  }
}
