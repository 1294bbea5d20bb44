// Chromium, and checks that apply to every view.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../../../js-client/browser/chromium.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const SCREENS = fileURLToPath(new URL("../target/screens", import.meta.url));
const IMPACTS = new Set(["serious", "critical"]);

export { launchChromium };

/** Opens a page; `problems` collects its errors, refused resources and requests to other hosts. */
export async function openPage(browser, url, options = {}) {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, locale: "en-GB", ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems = [];
  const host = new URL(url).host;
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    const isStatus = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isStatus) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).host !== host) problems.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

/** Saves a picture of the page in target/screens, with the profile full. */
export async function takePicture(page, name, options = {}) {
  if (process.env.SLUICE_FULL === "true")
    await page.screenshot({ path: join(SCREENS, `${name}.png`), ...options });
}

/**
 * Fails if the page has a serious accessibility finding.
 *
 * @param rules - Rules to check; all by default.
 */
export async function assertAccessible(page, where, rules) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (runOnly) => window.axe.run(document, { resultTypes: ["violations"], runOnly }),
    rules,
  );
  const serious = violations
    .filter(({ impact }) => IMPACTS.has(impact))
    .map(({ id, nodes }) => `${id} at ${nodes[0].target.join(" ")}: ${nodes[0].failureSummary}`);
  assert.deepEqual(serious, [], where);
}

/** Fails if the page is wider than its window. */
export async function assertFits(page, width, where) {
  await page.setViewportSize({ width, height: 800 });
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(needed <= width, `${where}: ${needed} px wide in a window of ${width} px`);
}
