// Tests the demo page in a real browser: node demo-page.mjs <base-url> <screenshot-dir> <points>
//
// Takes screenshots when every price has a trend of so many points.
// Prints PRICES MOVE, then READY FOR RESTART; the caller then restarts the gateway and writes the
// line RESTARTED. Prints LOST SHOWN once the page has shown the connection loss, and PRICES MOVE
// AGAIN once prices change without a reload. Exit status 0; 1 with an explanation on failure.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launchChromium } from "./chromium.mjs";

const WAIT_MS = 60_000;
const ROWS_THAT_MOVE = 5;
// Message that browsers log when a WebSocket fails to connect or is interrupted.
const FAILED_RECONNECT = /WebSocket connection to .* failed|ERR_CONNECTION_REFUSED/;

const [baseUrl, screenshotFolder, points] = process.argv.slice(2);
if (!(Number(points) > 0)) {
  console.error("usage: node demo-page.mjs <base-url> <screenshot-dir> <points>");
  process.exit(2);
}

const lines = createInterface({ input: process.stdin });
const restarted = new Promise((resolve, reject) => {
  lines.on("line", (line) => line.trim() === "RESTARTED" && resolve());
  lines.on("close", () => reject(new Error("stdin ended before the line RESTARTED")));
});
// Awaited later; prevents an unhandled rejection before that.
restarted.catch(() => undefined);

const consoleErrors = [];
const browser = await launchChromium();
let page;
try {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  console.log(await describePage());
  process.exitCode = 1;
} finally {
  lines.close();
  await browser.close();
}

async function judge() {
  listenToConsole();
  await page.goto(baseUrl);
  await pricesMove("prices change after the page was opened");
  await stateIs("live");
  console.log("PRICES MOVE");
  await takeScreenshots();
  await page.evaluate(() => {
    window.sluiceMarker = "same page";
  });
  await watchForLoss();
  console.log("READY FOR RESTART");
  await restarted;
  await expect("the page shows that the connection is lost", () => window.sluiceLossShown === true);
  console.log("LOST SHOWN");
  await stateIs("live");
  await pricesMove("prices change after the restart");
  await expect("the page was not reloaded", () => window.sluiceMarker === "same page");
  console.log("PRICES MOVE AGAIN");
  const unexpected = consoleErrors.filter((text) => !FAILED_RECONNECT.test(text));
  if (unexpected.length > 0) {
    throw new Error(`expected no errors on the console, found:\n${unexpected.join("\n")}`);
  }
}

function listenToConsole() {
  page.on("console", (message) => {
    if (message.type() === "error") consoleErrors.push(message.text());
  });
  page.on("pageerror", (error) => consoleErrors.push(`uncaught: ${error.message}`));
}

/** Checks every frame, as a quick restart shows the loss only briefly. */
async function watchForLoss() {
  await page.evaluate(() => {
    const look = () => {
      const state = document.querySelector("[data-testid=state]");
      const notice = document.querySelector("[data-testid=notice]");
      const board = document.querySelector("[data-testid=board]");
      const shown = state.dataset.status === "lost" && !notice.hidden;
      window.sluiceLossShown ||= shown && board.dataset.fresh === "false";
      requestAnimationFrame(look);
    };
    look();
  });
}

async function pricesMove(what) {
  const before = await prices();
  await expect(
    what,
    ({ before, wanted }) => {
      const rows = [...document.querySelectorAll("[data-testid=row]")];
      const moved = rows.filter((row) => {
        const price = row.querySelector("[data-testid=price]").textContent;
        const earlier = before[row.dataset.topic];
        return earlier !== undefined && earlier !== price;
      });
      return moved.length >= wanted;
    },
    { before, wanted: ROWS_THAT_MOVE },
  );
}

async function prices() {
  await expect(
    "there are rows",
    (wanted) => document.querySelectorAll("[data-testid=row]").length >= wanted,
    ROWS_THAT_MOVE,
  );
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("[data-testid=row]")].map((row) => [
        row.dataset.topic,
        row.querySelector("[data-testid=price]").textContent,
      ]),
    ),
  );
}

async function stateIs(status) {
  await expect(
    `the state is ${status}`,
    (wanted) => document.querySelector("[data-testid=state]").dataset.status === wanted,
    status,
  );
}

async function expect(what, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: WAIT_MS, polling: 100 });
  } catch (cause) {
    throw new Error(`expected that ${what}`, { cause });
  }
}

async function takeScreenshots() {
  await mkdir(screenshotFolder, { recursive: true });
  await expect(
    `every price has a trend of ${points} points`,
    (points) =>
      [...document.querySelectorAll("[data-testid=row] .spark polyline")].every(
        (trend) => (trend.getAttribute("points") ?? "").split(" ").length >= points,
      ),
    Number(points),
  );
  for (const [name, width, height, colorScheme] of [
    ["demo-1280", 1280, 800, "light"],
    ["demo-1280-dark", 1280, 800, "dark"],
    ["demo-360", 360, 780, "light"],
    ["demo-360-dark", 360, 780, "dark"],
  ]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await noSidewaysScroll(width);
    await page.screenshot({ path: join(screenshotFolder, `${name}.png`) });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function noSidewaysScroll(width) {
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  if (needed > width) throw new Error(`expected a page ${width} px wide, it needs ${needed} px`);
}

async function describePage() {
  const text = await page?.evaluate(() => document.body.innerText.slice(0, 1_500)).catch(() => "");
  return `on the page:\n${text ?? ""}\nerrors on the console:\n${consoleErrors.join("\n")}`;
}
