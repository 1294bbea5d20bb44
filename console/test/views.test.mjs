// Each view in light and dark, wide and 360 px: screenshots in target/screens, accessibility, errors.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, launchChromium, openPage, takePicture } from "./browser.mjs";
import { startFixture } from "./fixture.mjs";

const VIEWS = [
  ["overview", "#/overview", "Latency from broker to socket"],
  ["topics", "#/topics", "prices.us.1"],
  ["topic", "#/topics/prices.eu.7", "830 subscriptions"],
  ["clients", "#/clients", "trader-1"],
  ["client", "#/clients/gw-1-1763700000-3", "prices.eu.7"],
  ["why", "#/why?subject=alice&topic=orders.eu", "permission: this client"],
  ["operations", "#/operations", "1 of 1 revocations"],
];

let browser;
let fixture;

before(async () => {
  browser = await launchChromium();
  fixture = await startFixture();
});

after(async () => {
  await browser.close();
  fixture.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [name, hash, text] of VIEWS) {
    test(`should show ${name} in ${colorScheme}`, async () => {
      const url = `${fixture.url}/console/${hash}`;
      const { page, problems, close } = await openPage(browser, url, { colorScheme });
      await page.getByText(text).first().waitFor();
      await assertAccessible(page, name);
      await takePicture(page, `${name}-${colorScheme}`, { fullPage: true });
      await assertFits(page, 360, name);
      await takePicture(page, `${name}-${colorScheme}-360`);
      assert.deepEqual(problems, []);
      await close();
    });
  }
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
