// Tests pages that hold all HTTP/1.1 connections of Chromium to a node: node streams.mjs <ws-url>
// <topic>. The node accepts pages of any origin, messages are published to the topic all the time,
// and the topic may be published.
//
// Prints SIX PAGES RECEIVE when six pages receive messages over HTTP, LIMIT IS WARNED when the last
// of them has warned of the limit, PUBLISH FAILS when a publish has ended with an error that names
// it, SEVENTH PAGE REPORTS when the event "error" of another page does, and SEVENTH PAGE OPENS when
// it receives messages after one of the six was closed. Exit status 0; 1 with an explanation on
// failure.
import { launchChromium } from "./chromium.mjs";
import { servePackage } from "./package-server.mjs";

const WAIT = { timeout: 60_000, polling: 100 };
const LIMIT = 6;

const [url, topic] = process.argv.slice(2);
if (!url || !topic) {
  console.error("usage: node streams.mjs <ws-url> <topic>");
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
  const pages = [];
  while (pages.length < LIMIT) {
    const page = await openPage(context);
    await page.waitForFunction(() => window.received > 0, undefined, WAIT);
    pages.push(page);
  }
  console.log("SIX PAGES RECEIVE");
  await pages.at(-1).waitForFunction(() => window.warnings.length > 0, undefined, WAIT);
  await expectLimit("warning", await pages.at(-1).evaluate(() => window.warnings[0]));
  console.log("LIMIT IS WARNED");
  await expectLimit("publish", await pages[0].evaluate(publish, topic));
  console.log("PUBLISH FAILS");
  const seventh = await openPage(context);
  await seventh.waitForFunction(() => window.errors.length > 0, undefined, WAIT);
  await expectLimit("error", await seventh.evaluate(() => window.errors[0]));
  console.log("SEVENTH PAGE REPORTS");
  await pages[1].close();
  await seventh.waitForFunction(() => window.received > 0, undefined, WAIT);
  console.log("SEVENTH PAGE OPENS");
}

async function openPage(context) {
  const page = await context.newPage();
  await page.goto(server.urlOf("browser/elsewhere.html", {}));
  await page.evaluate(openClient, { url, topic });
  return page;
}

function expectLimit(what, text) {
  if (!text.includes("connection-limit")) throw new Error(`unexpected ${what}: ${text}`);
}

/** Runs in the page. */
async function openClient({ url, topic }) {
  window.received = 0;
  window.errors = [];
  window.warnings = [];
  console.warn = (text) => window.warnings.push(text);
  const { connect } = await import("/dist/index.js");
  const client = connect(url, { transports: ["http"], maxBackoff: 1_000 });
  client.on("error", (error) => window.errors.push(error.code));
  client.subscribe(topic, () => window.received++);
  window.client = client;
}

/** Runs in the page; returns the error. */
function publish(topic) {
  return window.client.publish(topic, "x").then(() => "published", String);
}
