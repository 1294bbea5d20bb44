// Each view in light and dark, wide and 360 px: accessibility, errors, screenshots in target/screens
// with the profile full.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, openPage, takePicture } from "./browser.mjs";
import * as data from "./fixture-data.mjs";
import { startFixture } from "./fixture.mjs";
import { browser } from "./shared-browser.mjs";

/** Rules that depend on colors: all that can differ in dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const VIEWS = [
  ["overview", "#/overview", "Latency from broker to socket"],
  ["topics", "#/topics", "prices.us.1"],
  ["topic", "#/topics/prices.eu.7", "830 subscriptions"],
  ["clients", "#/clients", "trader-1"],
  ["client", "#/clients/gw-1-1763700000-3", "prices.eu.7"],
  ["why", "#/why?subject=alice&topic=orders.eu", "permission: this client"],
  ["operations", "#/operations", "1 of 1 revocations"],
];

let fixture;

before(async () => {
  fixture = await startFixture();
});

after(() => fixture.close());

for (const [name, hash, text] of VIEWS) {
  test(`should show ${name}`, async () => {
    const url = `${fixture.url}/console/${hash}`;
    const { page, problems, close } = await openPage(browser, url, { colorScheme: "light" });
    await page.getByText(text).first().waitFor();
    await assertAccessible(page, name);
    await takePicture(page, `${name}-light`, { fullPage: true });
    const light = await background(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    await page.getByText(text).first().waitFor();
    assert.notEqual(await background(page), light, "background in dark");
    await assertAccessible(page, `${name} in dark`, COLOR_RULES);
    await takePicture(page, `${name}-dark`, { fullPage: true });
    await assertFits(page, 360, name);
    await takePicture(page, `${name}-dark-360`);
    assert.deepEqual(problems, []);
    await close();
  });
}

function background(page) {
  return page.evaluate(() => window.getComputedStyle(document.body).backgroundColor);
}

test("should name what the node does not offer", async () => {
  const old = await startFixture({ missing: ["/topics", "/clients", "/why", "/loggers"] });
  const { page, close } = await openPage(browser, `${old.url}/console/#/topics`);
  await page.getByText("This node does not offer the list of topics.").waitFor();
  await page.goto(`${old.url}/console/#/why?subject=a&topic=t`);
  await page.getByText("This node does not offer the check of a client's data.").waitFor();
  await page.goto(`${old.url}/console/#/operations`);
  await page.getByText("This node does not offer log levels at run time.").waitFor();
  await close();
  old.close();
});

test("should search and page through 10,000 clients without delay", async () => {
  const { page, close } = await openPage(browser, `${fixture.url}/console/#/clients`);
  await page.getByText("1–100 of 10,000").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 100);
  await page.evaluate(observeLongTasks);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("101–200 of 10,000").waitFor();
  await page.getByRole("button", { name: "Pending" }).click();
  await page.getByRole("link", { name: "trader-4711" }).waitFor();
  await page.getByRole("searchbox").fill("trader-999");
  await page.getByText("1–11 of 11").waitFor();
  const blocked = await page.evaluate(() => Math.max(0, ...window.longTasks));
  assert.ok(blocked < 1000, `the page was blocked for ${blocked} ms`);
  await close();
});

function observeLongTasks() {
  window.longTasks = [];
  const observer = new window.PerformanceObserver((list) => {
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  });
  observer.observe({ type: "longtask" });
}

test("should clear the search when a link does", async () => {
  const { page, close } = await openPage(browser, `${fixture.url}/console/#/topics?search=eu`);
  await page.getByText("of 142").waitFor();
  assert.equal(await page.getByRole("searchbox").inputValue(), "eu");
  await page.getByRole("link", { name: "Topics" }).click();
  await page.getByText("of 1,000").waitFor();
  assert.equal(await page.getByRole("searchbox").inputValue(), "");
  await close();
});

/** Opens the overview of a node with other responses, and closes both after the check. */
async function withOverview(changed, check) {
  const other = await startFixture({ changed });
  const { page, problems, close } = await openPage(browser, `${other.url}/console/#/overview`);
  await check(page);
  assert.deepEqual(problems, []);
  await close();
  other.close();
}

test("should link to the page of firing alerts in a new tab", async () => {
  await withOverview({}, async (page) => {
    const link = page.getByRole("link", { name: "Alerts", exact: true });
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), "https://alerts.example.com/#/alerts");
    assert.equal(await link.getAttribute("target"), "_blank");
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  });
});

test("should show no link to alerts without a page of them", async () => {
  const overview = () => ({ ...data.overview(), "alerts-url": undefined });
  await withOverview({ overview }, async (page) => {
    await page.getByText("Latency from broker to socket").waitFor();
    assert.equal(await page.getByRole("link", { name: "Alerts" }).count(), 0);
  });
});

test("should show no load of a node that does not respond", async () => {
  const silent = { node: "gw-3", status: "timeout", error: "no response within 2000 ms" };
  const overview = () => {
    const all = data.overview();
    const responding = all["by-node"].filter(({ node }) => node !== "gw-3");
    const nodes = [...all.nodes.filter(({ node }) => node !== "gw-3"), silent];
    return { ...all, "by-node": responding, nodes, partial: true };
  };
  await withOverview({ overview }, async (page) => {
    const card = page.locator(".node-map > li", { hasText: "gw-3" });
    await card.getByText("Load unknown: no response within 2000 ms").waitFor();
    assert.doesNotMatch(await card.textContent(), /frames\/s|CPU/);
    await assertFits(page, 360, "silent node");
  });
});

test("should show the figures of the overview in the cards of nodes", async () => {
  await withOverview({}, async (page) => {
    const [first] = data.overview()["by-node"];
    const clients = new Intl.NumberFormat("en").format(first.clients);
    const card = page.locator(".node-map > li", { hasText: "gw-1" });
    await card.getByText(clients, { exact: true }).waitFor();
  });
});

test("should name the loss of a broker", async () => {
  await withOverview({ cluster: () => data.cluster("broker-lost") }, async (page) => {
    await page.getByText("Node gw-1 has lost its broker.").waitFor();
    await page.locator(".badge", { hasText: "broker lost" }).waitFor();
    await page.getByText("broker lost for").waitFor();
  });
});

test("should show no latency without traffic", async () => {
  const idle = (figures) => {
    const shown = { ...figures };
    for (const name of ["p50", "p99", "p999"]) delete shown[`latency-${name}-ms`];
    return shown;
  };
  const overview = () => {
    const all = data.overview();
    return { ...all, cluster: idle(all.cluster), history: all.history.map(idle) };
  };
  await withOverview({ overview }, async (page) => {
    const figure = page.locator("dl", { hasText: "Latency p99, 1 min" });
    await figure.waitFor();
    assert.equal(await figure.locator("dd").textContent(), "–");
    await page.getByText("p50 –").waitFor();
  });
});

test("should draw the labels of charts within the charts", async () => {
  const quarter = 900_000;
  const overview = () => {
    const all = data.overview();
    const late = all.history.at(-1).at % quarter; // the last time is at the edge of the plot
    const long = { "frames-rate": 12_345_678 };
    const history = all.history.map((sample) => ({ ...sample, ...long, at: sample.at - late }));
    return { ...all, history };
  };
  const other = await startFixture({ changed: { overview } });
  const { page, close } = await openPage(browser, "about:blank");
  await page.addInitScript(recordTexts);
  await page.goto(`${other.url}/console/#/overview`);
  await page.waitForFunction(() => window.drawnTexts.some(({ text }) => /:\d\d:/.test(text)));
  const cut = await page.evaluate(() => window.drawnTexts.filter(({ isCut }) => isCut));
  assert.deepEqual(cut, []);
  await close();
  other.close();
});

/** Records the texts that are drawn on canvases, and whether they leave them. */
function recordTexts() {
  window.drawnTexts = [];
  const { prototype } = window.CanvasRenderingContext2D;
  const draw = prototype.fillText;
  prototype.fillText = function fillText(text, x, y, ...rest) {
    const { a, e } = this.getTransform();
    const width = this.measureText(text).width * a;
    const shares = { center: 0.5, right: 1, end: 1 };
    const left = x * a + e - width * (shares[this.textAlign] ?? 0);
    window.drawnTexts.push({ text, isCut: left < 0 || left + width > this.canvas.width });
    return draw.call(this, text, x, y, ...rest);
  };
}

test("should list topics, patterns or all interests", async () => {
  const { page, close } = await openPage(browser, `${fixture.url}/console/#/topics`);
  await page.getByText("of 1,000").waitFor();
  const patterns = page.waitForRequest((request) => request.url().includes("kind=pattern"));
  await page.getByLabel("Entries of the list").selectOption("Patterns");
  await patterns;
  await page.waitForFunction(() => window.location.hash.includes("kind=pattern"));
  await close();
});
