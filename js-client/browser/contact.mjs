// Tests the first contact of a page with a node: node contact.mjs <page-url> <free-port>
//
// The page is one of the gateway's, which serves the SDK under /sluice/ and has the feed of the
// demo; nothing listens on the free port. Prints a line for each success: RELATIVE URL, HTTP URL,
// WRONG PATH EXPLAINED, UNREACHABLE EXPLAINED, ORIGIN EXPLAINED, UNREADABLE ANSWER EXPLAINED. Exit
// status 0; 1 with an explanation on failure.
import { createServer } from "node:http";
import { launchChromium } from "./chromium.mjs";

const WAIT_MS = 30_000;

const [pageUrl, freePort] = process.argv.slice(2);
if (!pageUrl || !freePort) {
  console.error("usage: node contact.mjs <page-url> <free-port>");
  process.exit(2);
}
const { host, origin } = new URL(pageUrl);

const browser = await launchChromium();
const foreign = await startServer();
const withoutCors = await startServer();
try {
  const page = await openPage(pageUrl);
  await receives(page, "/ws");
  console.log("RELATIVE URL");
  await receives(page, `http://${host}/ws`);
  console.log("HTTP URL");
  await isExplained(page, `ws://${host}/wrong`, "wrong-path");
  console.log("WRONG PATH EXPLAINED");
  const other = await openPage(`http://127.0.0.1:${foreign.address().port}/`);
  await isExplained(other, `ws://127.0.0.1:${freePort}/ws`, "unreachable-server");
  console.log("UNREACHABLE EXPLAINED");
  await isExplained(other, `ws://${host}/ws`, "refused-origin");
  console.log("ORIGIN EXPLAINED");
  await isExplained(other, `ws://127.0.0.1:${withoutCors.address().port}/ws`, "unreadable-answer");
  console.log("UNREADABLE ANSWER EXPLAINED");
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  foreign.close();
  withoutCors.close();
}

/** Starts a server that is no node: it answers each request with an empty page, without CORS. */
async function startServer() {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Opens a page that records its warnings. */
async function openPage(url) {
  const page = await browser.newPage();
  page.warnings = [];
  page.on("console", (message) => {
    if (message.type() === "warning") page.warnings.push(message.text());
  });
  await page.goto(url);
  return page;
}

/** The client receives a message without an error and a warning. */
async function receives(page, url) {
  const received = await page.evaluate(receive, { url, sdk: `${origin}/sluice/index.js` });
  if (received !== "message") throw new Error(`expected a message from ${url}, not ${received}`);
}

/** Runs in the page. */
async function receive({ url, sdk }) {
  const { connect } = await import(sdk);
  const client = connect(url);
  return new Promise((resolve) => {
    client.on("error", (error) => resolve(String(error)));
    client.subscribe("stocks.>", () => resolve("message"));
  }).finally(() => client.close());
}

/** The client continues to try, and explains the cause once. */
async function isExplained(page, url, cause) {
  page.warnings.length = 0;
  const explained = () => page.warnings.filter((text) => text.includes("[sluice]"));
  await page.evaluate(start, { url, sdk: `${origin}/sluice.js` });
  const end = Date.now() + WAIT_MS;
  let status = "connecting";
  // Two more attempts could explain it again.
  for (let after = 0; after < 2 && status === "connecting" && Date.now() < end;) {
    status = await page.evaluate(attempt);
    if (explained().length > 0) after++;
  }
  await page.evaluate(() => globalThis.contactClient.close());
  if (status !== "connecting") throw new Error(`expected that ${url} fails, not ${status}`);
  if (explained().length !== 1 || !explained()[0].includes(` See section "${cause}" of the page`))
    throw new Error(`expected one warning of ${cause}, not ${JSON.stringify(explained())}`);
}

/** Runs in the page; starts a client that cannot connect. */
async function start({ url, sdk }) {
  const { connect } = await import(sdk);
  const client = connect(url, { minBackoff: 50, maxBackoff: 100 });
  globalThis.contactClient = client;
  client.on("error", () => undefined);
  client.subscribe("stocks.>", () => undefined);
}

/** Runs in the page; returns the state after the next failure. */
function attempt() {
  const client = globalThis.contactClient;
  const { failures } = client.state;
  return new Promise((resolve) => {
    const undo = client.on("state", (state) => {
      if (state.status === "connecting" && state.failures === failures) return;
      undo();
      resolve(state.status);
    });
  });
}
