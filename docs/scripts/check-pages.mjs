// Checks pages of the built site in Chromium: accessibility, horizontal scrolling, headings below the
// header, search.
// Usage: check-pages.mjs [all], by default one page of each kind, with SLUICE_FULL=true all.
//
// Each page is shown in light, 1,280 and 360 px wide, and in dark, where only colors differ, which by
// default are those of the last page of the sample. Prints
// each problem on a line; exit code 1 if there is one.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { ADDRESSES, DOCS, link } from "../.vitepress/pages.mjs";

const SITE = join(DOCS, "target", "site");
const CHROMIUM = pathToFileURL(join(DOCS, "..", "js-client", "browser", "chromium.mjs")).href;
const AXE = createRequire(import.meta.url).resolve("axe-core");
/** Home; a diagram; a generated page; code, a table and notes. */
const SAMPLE = ["index", "concepts/offloading", "reference/sdk/react", "how-to/kubernetes"];
const SCHEMES = ["light", "dark"];
const WIDTHS = [1280, 360];
const IMPACTS = new Set(["serious", "critical"]);
/** Rules that depend on colors. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const WAIT_MS = 60_000;
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

const isComplete = process.argv[2] === "all" || process.env.SLUICE_FULL === "true";
const pages = isComplete ? [...ADDRESSES.values()] : SAMPLE;
const problems = [];
const server = createServer((request, response) => void serve(request, response));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const site = `http://127.0.0.1:${server.address().port}`;
const { launchChromium } = await import(CHROMIUM);
const browser = await launchChromium();
try {
  for (const scheme of SCHEMES) await checkScheme(scheme);
  await checkSearch();
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
if (problems.length > 0) {
  console.error(problems.map((problem) => `docs: ${problem}`).join("\n"));
  process.exitCode = 1;
} else {
  console.log(`docs: ${pages.length} pages without a problem in light and dark, wide and narrow`);
}

async function checkScheme(colorScheme) {
  const context = await browser.newContext({ colorScheme });
  const page = await context.newPage();
  const shown = colorScheme === "dark" && !isComplete ? pages.slice(-1) : pages;
  for (const address of shown) {
    const where = `${address} (${colorScheme})`;
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    await page.goto(site + link(address), { waitUntil: "load" });
    await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__ !== undefined);
    await page.addScriptTag({ path: AXE });
    const { violations } = await page.evaluate(
      (runOnly) => window.axe.run(document, { resultTypes: ["violations"], runOnly }),
      colorScheme === "dark" ? COLOR_RULES : undefined,
    );
    for (const { id, impact, nodes } of violations) {
      if (IMPACTS.has(impact)) {
        problems.push(`${where}: ${impact} finding ${id} at ${nodes[0].target.join(" ")}`);
      }
    }
    if (colorScheme === "dark") continue;
    const hidden = await page.evaluate(coveredHeading);
    if (hidden) problems.push(`${where}: the header hides #${hidden} after a change of the hash`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      if (needed > width) problems.push(`${where}: ${needed} px wide in a window of ${width} px`);
    }
  }
  await context.close();
}

/**
 * Changes the hash of the open page to a heading.
 *
 * @returns identifier of the heading if the header covers it
 */
function coveredHeading() {
  const headings = [...document.querySelectorAll(".vp-doc :is(h2, h3)[id]")];
  const heading = headings[Math.floor(headings.length / 2)];
  if (!heading) return undefined;
  location.hash = heading.id;
  const text = document.createRange();
  text.selectNodeContents(heading);
  const { left, top } = text.getClientRects()[0];
  return heading.contains(document.elementFromPoint(left + 2, top + 2)) ? undefined : heading.id;
}

async function checkSearch() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${site}/`);
  await page.locator("#local-search button").click();
  await page.locator("#localsearch-input").fill("durable subscription");
  try {
    await page.locator("#localsearch-list .result").first().waitFor({ timeout: WAIT_MS });
  } catch {
    problems.push('the search finds no page for "durable subscription"');
  }
  await page.close();
}

async function serve(request, response) {
  const path = normalize(decodeURIComponent(new URL(request.url, site).pathname));
  const name = path.endsWith("/") ? `${path}index.html` : extname(path) ? path : `${path}.html`;
  try {
    const content = await readFile(join(SITE, name));
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(content);
  } catch {
    response.writeHead(404).end();
  }
}
