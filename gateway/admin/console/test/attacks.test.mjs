// Attacks on the console: scripts in names, tokens in addresses, wrong tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./browser.mjs";
import { HOSTILE } from "./fixture-data.mjs";
import { startFixture } from "./fixture.mjs";
import { browser } from "./shared-browser.mjs";

const TOKEN = "0123456789abcdef";
const PLACES = [
  "topics",
  `topics/${encodeURIComponent(`hostile.${HOSTILE}`)}`,
  "clients",
  "clients/gw-1-1763700000-0",
  `why?subject=${encodeURIComponent(HOSTILE)}&topic=${encodeURIComponent(`orders.${HOSTILE}`)}`,
  "operations",
];

for (const place of PLACES) {
  test(`should show hostile names as text: ${place.slice(0, 25)}`, async () => {
    const fixture = await startFixture();
    const { page, problems, close } = await openPage(browser, `${fixture.url}/console/#/${place}`);
    await page.getByText("<script>window.attacked=1</script>").first().waitFor();
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.deepEqual(problems, []);
    await close();
    fixture.close();
  });
}

test("should show hostile headers of live messages as text", async () => {
  const fixture = await startFixture();
  const { page, close } = await openPage(browser, `${fixture.url}/console/#/topics/prices.eu.7`);
  await page.getByRole("button", { name: "Show live messages" }).click();
  await page.getByText("window.attacked=1").first().waitFor();
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await close();
  fixture.close();
});

test("should admit the right token only, and forget it after logging out", async () => {
  const fixture = await startFixture({ token: TOKEN });
  const { page, close } = await openPage(browser, `${fixture.url}/console/`);
  await page.getByLabel("Admin token").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("the token is invalid for this node").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.getByLabel("Admin token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.ok(!fixture.requests.some((url) => url.includes(TOKEN)));
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Admin token").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await close();
  fixture.close();
});

test("should not take a token from the address", async () => {
  const fixture = await startFixture({ token: TOKEN });
  const url = `${fixture.url}/console/#/overview?token=${TOKEN}`;
  const { page, close } = await openPage(browser, url);
  await page.getByLabel("Admin token").waitFor();
  assert.ok(!fixture.requests.some((requested) => requested.includes(TOKEN)));
  await close();
  fixture.close();
});

test("should run no script that a page element contains", async () => {
  const fixture = await startFixture();
  const { page, close } = await openPage(browser, `${fixture.url}/console/`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const refusals = await page.evaluate(() => {
    const results = [];
    for (const attack of [
      () => (document.body.innerHTML = "<img src=x onerror='window.attacked=1'>"),
      () => document.body.setAttribute("onclick", "window.attacked=1"),
    ]) {
      try {
        attack();
        results.push("accepted");
      } catch (error) {
        results.push(error.name);
      }
    }
    document.body.click();
    return { results, attacked: window.attacked };
  });
  assert.equal(refusals.attacked, undefined);
  assert.equal(refusals.results[0], "TypeError");
  await close();
  fixture.close();
});
