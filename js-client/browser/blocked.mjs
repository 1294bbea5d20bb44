// Tests the SDK in a real browser while WebSockets are blocked: node blocked.mjs <page-url>
// <websocket-url> <topic> [<publish-topic>]
//
// The page may be any of the gateway's, which serves the SDK under /sluice/. The WebSocket URL
// leads through a proxy that breaks WebSockets. Messages are published to <topic> all the time. Two
// pages run the same test, one with its own connection and one with the connection of a
// SharedWorker.
//
// Prints ON HTTP once messages arrive over HTTP, and PUBLISHED once the pages have published to
// themselves, if <publish-topic> is given. After READY FOR WEBSOCKETS the caller permits WebSockets
// and writes the line OPENED. Prints ON WEBSOCKET once messages arrive over a WebSocket, which
// takes up to the maximum duration of a stream, then NOTHING LOST. Exit status 0; 1 with an
// explanation on failure.
import { createInterface } from "node:readline";
import { launchChromium } from "./chromium.mjs";
import { loadPage } from "./page-load.mjs";

const WAIT_MS = 60_000;
const MESSAGES = 5;

const [pageUrl, webSocketUrl, topic, publishTopic] = process.argv.slice(2);
if (!pageUrl || !webSocketUrl || !topic) {
  console.error("usage: node blocked.mjs <page-url> <websocket-url> <topic> [<publish-topic>]");
  process.exit(2);
}

const lines = createInterface({ input: process.stdin });
const opened = new Promise((resolve, reject) => {
  lines.on("line", (line) => line.trim() === "OPENED" && resolve());
  lines.on("close", () => reject(new Error("stdin ended before the line OPENED")));
});
// Awaited later; prevents an unhandled rejection before that.
opened.catch(() => undefined);

const browser = await launchChromium();
const context = await browser.newContext();
const pages = [];
// The error of a failed import names no cause.
const failedRequests = [];
context.on("requestfailed", (request) => {
  failedRequests.push(`${request.url()}: ${request.failure()?.errorText}`);
});
context.on("response", (response) => {
  if (!response.ok()) failedRequests.push(`${response.url()}: ${response.status()}`);
});
try {
  for (const isShared of [false, true]) pages.push(await openPage(isShared));
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  for (const failed of failedRequests) console.log(failed);
  for (const page of pages) console.log(await describeClient(page));
  process.exitCode = 1;
} finally {
  lines.close();
  await browser.close();
}

async function openPage(isShared) {
  const page = await context.newPage();
  await loadPage(page, async () => {
    await page.goto(pageUrl);
    await page.evaluate(openClient, { webSocketUrl, topic, isShared });
  });
  return page;
}

async function judge() {
  await all((page) => messagesFlowBy("http", page));
  await expectOneWorker();
  console.log("ON HTTP");
  if (publishTopic) {
    await all(publishToItself);
    console.log("PUBLISHED");
  }
  console.log("READY FOR WEBSOCKETS");
  await opened;
  await all((page) => messagesFlowBy("websocket", page));
  console.log("ON WEBSOCKET");
  await all(nothingIsLost);
  console.log("NOTHING LOST");
}

function all(judgeOne) {
  return Promise.all(pages.map(judgeOne));
}

/** Without a worker a page would have fallen back to its own connection. */
async function expectOneWorker() {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets");
  const workers = targetInfos.filter(({ type }) => type === "shared_worker");
  if (workers.length !== 1) throw new Error(`expected one SharedWorker, found ${workers.length}`);
}

async function nothingIsLost(page) {
  await expect(page, "nothing was lost or doubled", () => {
    const { gaps, doubled, statuses, errors } = window.sluiceReceived;
    return gaps.length + doubled + errors.length === 0 && statuses.at(-1) === "open";
  });
  await expect(
    page,
    "the application was not reported of a lost connection",
    () =>
      !window.sluiceReceived.statuses.slice(window.sluiceReceived.opened).includes("connecting"),
  );
}

/** Runs in the page. */
async function openClient({ webSocketUrl, topic, isShared }) {
  const { connect } = await import("/sluice/index.js");
  const { connectShared } = await import("/sluice/shared.js");
  const received = { count: 0, doubled: 0, gaps: [], errors: [], statuses: [], opened: 0 };
  const ids = new Set();
  const client = isShared
    ? connectShared("/sluice/shared-worker.js", webSocketUrl)
    : connect(webSocketUrl);
  client.on("gap", (gap) => received.gaps.push(gap));
  client.on("error", (error) => received.errors.push(String(error)));
  client.on("state", ({ status }) => {
    received.statuses.push(status);
    if (status === "open" && received.opened === 0) received.opened = received.statuses.length;
  });
  client.subscribe(topic, ({ id }) => {
    received.count++;
    if (ids.has(id)) received.doubled++;
    ids.add(id);
  });
  window.sluiceClient = client;
  window.sluiceReceived = received;
}

async function messagesFlowBy(transport, page) {
  const by = (wanted) => window.sluiceClient.transport === wanted;
  await expect(page, `the transport is ${transport}`, by, transport);
  const before = await page.evaluate(() => window.sluiceReceived.count);
  await expect(
    page,
    `messages flow by ${transport}`,
    (wanted) => window.sluiceReceived.count >= wanted,
    before + MESSAGES,
  );
}

/** Publishes to another topic, so the stream is renewed at the same time. */
async function publishToItself(page, number) {
  const text = `from page ${number}`;
  await page.evaluate(
    async ({ topic, text }) => {
      const { sluiceClient: client } = window;
      const echoes = (window.sluiceEchoes = []);
      await new Promise((resolve) => {
        client.subscribe(topic, {
          onMessage: ({ payload }) => echoes.push(payload),
          onState: ({ status }) => status === "live" && resolve(),
        });
      });
      await client.publish(topic, text);
    },
    { topic: publishTopic, text },
  );
  const receives = (text) => window.sluiceEchoes.includes(text);
  await expect(page, "the page receives what it publishes", receives, text);
}

async function expect(page, what, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: WAIT_MS, polling: 100 });
  } catch (cause) {
    throw new Error(`expected that ${what}`, { cause });
  }
}

async function describeClient(page) {
  const describe = () =>
    JSON.stringify({
      received: window.sluiceReceived,
      state: window.sluiceClient?.state,
      transport: window.sluiceClient?.transport,
    });
  return page.evaluate(describe).catch(String);
}
