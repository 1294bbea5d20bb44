// Tests a page that is left, frozen and crashed: node life.mjs <ws-url> <topic> [<transport>].
// Messages with numbers, such as SEQ=7, are published to the topic all the time; the transport is
// "websocket" or "http".
//
// Prints BACK FROM ANOTHER PAGE, STOPPED AND RESUMED and CRASHED AND LOADED AGAIN, each when the
// page has received every number once without a gap. Standard error reports whether the browser
// cached the page while it was left, which Chromium's headless shell never does. Exit status 0; 1
// with an explanation on failure.
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { launchChromium } from "./chromium.mjs";
import { crash } from "./crash.mjs";
import { servePackage } from "./package-server.mjs";

const WAIT_MS = 60_000;
const MESSAGES = 20;

const [url, topic, transport = "websocket"] = process.argv.slice(2);
if (!url || !topic) {
  console.error("usage: node life.mjs <ws-url> <topic> [<transport>]");
  process.exit(2);
}

const server = await servePackage();
// Playwright disables the back/forward cache.
const browser = await launchChromium({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
const context = await browser.newContext();
// Receives what the page misses, and keeps the topic's log active.
const witness = connect(url, { WebSocket });
let published = 0;
witness.subscribe(topic, () => published++);
let page;
try {
  page = await open();
  await leaveAndComeBack();
  await stopAndResume();
  await crashAndLoadAgain();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  console.log(await page?.evaluate(() => JSON.stringify(window.life)).catch(String));
  process.exitCode = 1;
} finally {
  witness.close();
  await browser.close();
  server.stop();
}

async function open() {
  const opened = await context.newPage();
  opened.on("pageerror", (error) => console.error(`the page: ${error.message}`));
  await opened.goto(server.urlOf("browser/life.html", { url, topic, transport }));
  await receivesMore(opened);
  return opened;
}

async function leaveAndComeBack() {
  await page.goto(server.urlOf("browser/elsewhere.html"));
  await moreIsPublished();
  // Not page.goBack(), which waits forever for the load event of a cached page.
  await page.evaluate(() => setTimeout(() => window.history.back()));
  await page.waitForURL(/life\.html/, { waitUntil: "commit" });
  await receivesMore(page);
  const isKept = await page.evaluate(() => window.isKept);
  console.error(`the page was ${isKept ? "kept" : "loaded again"} by ${browser.version()}`);
  console.log("BACK FROM ANOTHER PAGE");
}

/** Freezes the page, as a system may do in the background. */
async function stopAndResume() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  for (const id of renderers) process.kill(id, "SIGSTOP");
  try {
    await moreIsPublished();
  } finally {
    for (const id of renderers) process.kill(id, "SIGCONT");
  }
  await receivesMore(page);
  console.log("STOPPED AND RESUMED");
}

async function crashAndLoadAgain() {
  await crash(page);
  await moreIsPublished();
  page = await open();
  console.log("CRASHED AND LOADED AGAIN");
}

async function moreIsPublished() {
  const wanted = published + MESSAGES;
  await until("more is published", () => published >= wanted);
}

/** Waits until the page has received everything published so far, and some more. */
async function receivesMore(page) {
  const wanted = MESSAGES + (await page.evaluate(() => window.life?.received ?? 0));
  const receives = (wanted) => window.life?.received >= wanted;
  await page.waitForFunction(receives, wanted, { timeout: WAIT_MS, polling: 100 });
  const problems = await page.evaluate(() => window.life.problems);
  if (problems.length > 0) throw new Error(`expected every number once: ${problems.join("; ")}`);
}

async function until(what, holds) {
  const deadline = Date.now() + WAIT_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
