// Tests the fault controls of `sluice demo` in a real browser: node demo-faults.mjs <base-url>
//
// Prints FEW REQUESTS, CUT RECOVERED, KILLED NODE REPLACED, LAG SHOWN, BROKER RECOVERED,
// NO HORIZONTAL SCROLLING and ACCESSIBLE. Exit status 0; 1 with an explanation on failure.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { launchChromium } from "./chromium.mjs";

const WAIT_MS = 60_000;
const SPREAD_MS = 500;
const MAX_REQUESTS = 9;
const WIDTHS = [360, 1280];
const TABS = ["market", "stocks", "faults"];
const IMPACTS = new Set(["serious", "critical"]);
const docs = createRequire(new URL("../../docs/package.json", import.meta.url));

const [baseUrl] = process.argv.slice(2);
if (!baseUrl) {
  console.error("usage: node demo-faults.mjs <base-url>");
  process.exit(2);
}

const browser = await launchChromium();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
let requests = 0;
page.on("request", () => requests++);
try {
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  console.log(`lag levels: ${await page.evaluate(() => window.levels?.join())}`);
  console.log(await page.evaluate(() => document.body.innerText.slice(0, 1_500)));
  process.exitCode = 1;
} finally {
  await browser.close();
}

async function judge() {
  await page.goto(baseUrl);
  await isLive("after it was opened");
  if (requests > MAX_REQUESTS) throw new Error(`expected few requests, found ${requests}`);
  console.log("FEW REQUESTS");
  await page.check("[name=delivery][value=all]");
  await shows("the connected node", "session", "demo-1");
  await cut();
  await kill();
  await stopBroker();
  await noHorizontalScrolling();
  await accessible();
}

async function cut() {
  const gaps = await resumableAtOtherNode();
  await click("cut");
  await hasStatus("lost");
  await hasStatus("live"); // the page may be behind: a slow machine takes long for all messages
  await replayedWithoutGap(gaps);
  console.log("CUT RECOVERED");
}

async function kill() {
  const gaps = await resumableAtOtherNode();
  const session = await page.textContent("[data-testid=session]");
  const other = session.includes("demo-1") ? "demo-2" : "demo-1";
  await click("kill");
  await shows("the other node", "session", other);
  await hasStatus("live");
  await replayedWithoutGap(gaps);
  console.log("KILLED NODE REPLACED");
}

async function stopBroker() {
  await page.check("[name=delivery][value=latest]");
  await page.evaluate(watchLevels);
  await page.waitForFunction(() => window.green, undefined, { timeout: WAIT_MS });
  await click("broker");
  await expect("the lag is shown as amber, then as red", () =>
    window.levels.join().endsWith("amber,red"),
  );
  const wrong = await page.evaluate(() => window.wrongGreen);
  if (wrong) throw new Error(`expected no green state with the lag ${wrong}`);
  console.log("LAG SHOWN");
  await page.getByRole("button", { name: "Start the broker" }).click();
  await isLive("after the broker has started");
  console.log("BROKER RECOVERED");
}

/** Runs in the page: records the changes of the level, and a green state without current prices. */
function watchLevels() {
  window.levels = [];
  const look = () => {
    const state = document.querySelector("[data-testid=state]");
    const { lag, status } = state.dataset;
    if (window.levels.at(-1) !== lag) window.levels.push(lag);
    const { color } = window.getComputedStyle(state);
    if (lag === "ok" && status === "live") window.green ??= color;
    if (lag !== "ok" && color === window.green) window.wrongGreen ??= String(lag);
    requestAnimationFrame(look);
  };
  look();
}

/** Waits until another node can continue the subscription; returns the gaps until then. */
async function resumableAtOtherNode() {
  await shows("that another node can resume", "resumable", "every message");
  await page.evaluate(watchLag);
  return page.textContent("[data-testid=gaps]");
}

async function replayedWithoutGap(gapsBefore) {
  await expect(
    "messages were replayed",
    () => Number(document.querySelector("[data-testid=replayed]").textContent.replace(",", "")) > 0,
  );
  const lagMs = await page.evaluate(() => window.lagMs);
  const gaps = await page.textContent("[data-testid=gaps]");
  // A node does not resume positions of other nodes while messages arrive this late.
  if (gaps !== gapsBefore && lagMs <= SPREAD_MS) {
    throw new Error(`expected no gap at a lag of ${lagMs} ms`);
  }
}

/** Runs in the page: records the largest lag from now on. */
function watchLag() {
  const isWatched = window.lagMs !== undefined;
  window.lagMs = 0;
  const look = () => {
    const lag = document.querySelector("[data-testid=latency-p99]").textContent;
    const isLong = /\d/.test(lag) && !lag.endsWith(" ms");
    window.lagMs = Math.max(window.lagMs, isLong ? Infinity : Number.parseFloat(lag) || 0);
    requestAnimationFrame(look);
  };
  if (!isWatched) look();
}

async function noHorizontalScrolling() {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 780 });
    for (const tab of TABS) {
      await page.evaluate((name) => (document.body.dataset.tab = name), tab);
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      if (needed > width) throw new Error(`${tab} needs ${needed} px in a window of ${width} px`);
    }
  }
  console.log("NO HORIZONTAL SCROLLING");
}

async function accessible() {
  const axe = await readFile(docs.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() =>
      window.axe.run(document, { resultTypes: ["violations"] }),
    );
    const serious = violations.filter(({ impact }) => IMPACTS.has(impact));
    const found = serious.map(({ id, nodes }) => `${id} at ${nodes[0].target.join(" ")}`);
    if (found.length > 0) throw new Error(`accessibility, ${colorScheme}: ${found.join("; ")}`);
  }
  console.log("ACCESSIBLE");
}

async function click(fault) {
  await page.locator(`[data-fault=${fault}]:enabled`).click({ timeout: WAIT_MS });
}

async function hasStatus(status) {
  await expect(
    `the status is ${status}`,
    (wanted) => document.querySelector("[data-testid=state]").dataset.status === wanted,
    status,
  );
}

async function isLive(when) {
  await expect(`the page is live ${when}`, () => {
    const { status, lag } = document.querySelector("[data-testid=state]").dataset;
    return status === "live" && lag === "ok";
  });
}

async function shows(what, id, text) {
  await expect(
    `the page shows ${what}`,
    ({ id, text }) => document.querySelector(`[data-testid=${id}]`).textContent.includes(text),
    { id, text },
  );
}

async function expect(what, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: WAIT_MS, polling: 50 });
  } catch (cause) {
    throw new Error(`expected that ${what}`, { cause });
  }
}
