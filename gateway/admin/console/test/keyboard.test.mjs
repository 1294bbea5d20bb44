// A path through each view by keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./browser.mjs";
import { startFixture } from "./fixture.mjs";
import { browser } from "./shared-browser.mjs";

const MAX_PRESSES = 60;

function path(name, place, walk) {
  test(`should be usable by keyboard: ${name}`, async () => {
    const fixture = await startFixture();
    const { page, problems, close } = await openPage(browser, `${fixture.url}/console/#/${place}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await walk(page, fixture);
    assert.deepEqual(problems, []);
    await close();
    fixture.close();
  });
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page, name) {
  const focused = () =>
    page.evaluate(() => {
      const { labels, textContent, ariaLabel } = document.activeElement;
      return (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim();
    });
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    await page.keyboard.press("Tab");
    if ((await focused()) === name) return;
  }
  assert.fail(`${name} is not reached by ${MAX_PRESSES} presses of Tab`);
}

path("overview", "overview", async (page) => {
  await page.getByText("Console of gw-2").waitFor();
  await tabTo(page, "Skip to the content");
  await page.keyboard.press("Enter");
  await tabTo(page, "Console of gw-2");
});

path("topics", "topics", async (page) => {
  await page.getByText("1–100 of 1,000").waitFor();
  await tabTo(page, "Search topics");
  await page.keyboard.type("eu");
  await page.getByText("1–100 of 142").waitFor();
  await tabTo(page, "Subscribers");
  await page.keyboard.press("Space");
  await page.locator("th[aria-sort]", { hasText: "Subscribers" }).waitFor();
});

path("topic", "topics/prices.eu.7", async (page) => {
  await page.getByText("100 of 830 subscriptions").waitFor();
  await tabTo(page, "Subscribers of prices.eu.7");
  await tabTo(page, "gw-2-1763700000-1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "trader-1" }).waitFor();
});

path("client", "clients/gw-1-1763700000-3", async (page, fixture) => {
  await page.getByRole("heading", { name: "trader-3" }).waitFor();
  await tabTo(page, "Disconnect");
  await page.keyboard.press("Enter");
  await tabTo(page, "Disconnect");
  await page.keyboard.press("Enter");
  await page.getByText("The session has ended.").waitFor();
  assert.equal(fixture.commands.length, 1);
});

path("why", "why", async (page) => {
  await tabTo(page, "Subject");
  await page.keyboard.type("alice");
  await page.keyboard.press("Tab");
  await page.keyboard.type("orders.eu");
  await page.keyboard.press("Enter");
  await page.getByText("permission: this client").waitFor();
});

path("operations", "operations", async (page, fixture) => {
  await page.getByText("1 of 1 revocations").waitFor();
  await tabTo(page, "Reload");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "Reload");
  await page.keyboard.press("Enter");
  await page.getByText("Applied: limits.").waitFor();
  await tabTo(page, "Logger");
  await page.keyboard.press("Enter");
  await page.getByText("io.sluice logs from level debug.").waitFor();
  assert.deepEqual(fixture.commands[1].body, { logger: "io.sluice", level: "debug", for: 600 });
});
