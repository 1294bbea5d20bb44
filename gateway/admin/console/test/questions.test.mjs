// The four questions of operators, answered by the console alone, each in less than a minute.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage } from "./browser.mjs";
import { startFixture } from "./fixture.mjs";
import { browser } from "./shared-browser.mjs";

const MINUTE_MS = 60_000;

let fixture;

before(async () => {
  fixture = await startFixture();
});

after(() => fixture.close());

function question(name, ask) {
  test(`should answer: ${name}`, async () => {
    const start = performance.now();
    const { page, problems, close } = await openPage(browser, `${fixture.url}/console/`);
    await ask(page);
    assert.ok(performance.now() - start < MINUTE_MS);
    assert.deepEqual(problems, []);
    await close();
  });
}

const view = (page, name) => page.getByRole("link", { name, exact: true }).click();
const firstCell = (page) => page.locator("tbody tr").first().locator("td").first();

question("why does this user see no data?", async (page) => {
  await view(page, "Why no data?");
  await page.getByLabel("Subject").fill("trader-5");
  await page.getByLabel("Topic").fill("orders.eu");
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("status").getByText("permission: this client may not subscribe").waitFor();
});

question("was a past gap the reason?", async (page) => {
  await view(page, "Why no data?");
  await page.getByLabel("Subject").fill("trader-5");
  await page.getByLabel("Topic").fill("prices.eu");
  await page.getByRole("button", { name: "Check" }).click();
  await page.locator(".alert-success", { hasText: "; past, gaps: 1 gap was sent" }).waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Gaps" })
    .getByText("past", { exact: true })
    .waitFor();
});

question("who subscribes to this topic?", async (page) => {
  await view(page, "Topics");
  await page.getByRole("searchbox").fill("prices.eu.14");
  await page.getByRole("link", { name: "prices.eu.14", exact: true }).click();
  await page.getByText("100 of 830 subscriptions").waitFor();
  await page.getByText("trader-99", { exact: true }).waitFor();
});

question("which topics are hottest?", async (page) => {
  await view(page, "Topics");
  await page.getByText("1–100 of 1,000").waitFor();
  assert.match(await firstCell(page).textContent(), /^hostile\./);
  await page.getByRole("button", { name: "Subscribers" }).click();
  await page.locator("th[aria-sort]", { hasText: "Subscribers" }).waitFor();
  await page.getByRole("link", { name: "prices.us.27", exact: true }).waitFor();
});

question("which clients are slowest?", async (page) => {
  await view(page, "Clients");
  await page.getByRole("button", { name: "Round trip" }).click();
  await page.getByRole("link", { name: "trader-4711" }).waitFor();
  assert.equal(await firstCell(page).textContent(), "trader-4711");
  await page.getByRole("link", { name: "trader-4711" }).click();
  await page.getByText("8.4 MB").waitFor();
});
