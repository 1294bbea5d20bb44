// Opens a report in a real browser: node report.mjs PAGE FOLDER
//
// Writes a screenshot for each colour scheme to the folder. Prints one line of JSON for each scheme,
// with additional requests, errors, charts, and the width of the page on a phone. A chart has its title, texts, colours, width, height
// when printed, and the tooltip of its first dot or mark.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launchChromium } from "../../../../js-client/browser/chromium.mjs";

const [file, folder] = process.argv.slice(2);
if (!file || !folder) {
  console.error("usage: node report.mjs PAGE FOLDER");
  process.exit(2);
}

const url = pathToFileURL(resolve(file)).href;
const browser = await launchChromium();
try {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({
      colorScheme,
      offline: true,
      viewport: { width: 1200, height: 900 },
    });
    const page = await context.newPage();
    const requests = [];
    const errors = [];
    page.on("request", (request) => request.url() !== url && requests.push(request.url()));
    page.on("console", (message) => errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(url);
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".chart")].every((chart) => chart.querySelector("svg path")),
    );
    const charts = [];
    for (const figure of await page.locator("figure").all()) charts.push(await describe(figure));
    await page.emulateMedia({ media: "print" });
    const heights = await page.$$eval(".chart", (all) => all.map((chart) => chart.clientHeight));
    charts.forEach((chart, index) => (chart.printedHeight = heights[index]));
    await page.emulateMedia({ media: "screen" });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `report-${colorScheme}.png`), fullPage: true });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `report-${colorScheme}-top.png`) });
    const narrow = await onPhone(page);
    await page.screenshot({ path: join(folder, `report-${colorScheme}-360.png`), fullPage: true });
    await page.screenshot({ path: join(folder, `report-${colorScheme}-360-top.png`) });
    console.log(JSON.stringify({ background, requests, errors, charts, narrow }));
    await context.close();
  }
} finally {
  await browser.close();
}

/** Returns the widths of the page and of its widest chart in a window of 360 px, and the verdict. */
async function onPhone(page) {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".chart svg")].every((svg) => svg.getBoundingClientRect().width <= 360),
  );
  return page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    chart: Math.max(...[...document.querySelectorAll(".chart svg")].map((svg) => svg.getBoundingClientRect().width)),
    verdict: [...document.querySelectorAll(".verdict strong")].map((answer) => answer.textContent),
  }));
}

async function describe(figure) {
  await figure.scrollIntoViewIfNeeded();
  const drawn = await figure.evaluate((node) => ({
    title: node.querySelector("figcaption").textContent,
    texts: [...node.querySelectorAll("svg text")].map((text) => text.textContent),
    strokes: [...new Set([...node.querySelectorAll("svg path")].map((path) => getComputedStyle(path).stroke))],
    width: node.querySelector("svg").getBoundingClientRect().width,
  }));
  return { ...drawn, tooltip: await tooltip(figure) };
}

/** Returns the text shown when the first dot or mark is pointed at, or an empty text. */
async function tooltip(figure) {
  const at = await figure.evaluate((node) => {
    const options = JSON.parse(node.querySelector("script").textContent);
    const index = options.series.findIndex((each) => each.data.some((item) => item.name));
    if (index < 0) return null;
    const { value } = options.series[index].data.find((item) => item.name);
    const chart = node.querySelector(".chart");
    const [x, y] = window.echarts
      .getInstanceByDom(chart)
      .convertToPixel({ seriesIndex: index }, value);
    const box = chart.getBoundingClientRect();
    return { x: box.x + x, y: box.y + y };
  });
  if (!at) return "";
  await figure.page().mouse.move(at.x, at.y);
  const shown = figure.locator(".chart > div:nth-child(2)");
  await shown.waitFor();
  return shown.innerText();
}
