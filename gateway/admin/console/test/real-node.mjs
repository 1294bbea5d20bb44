// Checks the console of a real node in Chromium.
// Usage: real-node.mjs ADMIN_URL TOKEN HOSTILE, where HOSTILE is the subject of a revocation.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { assertAccessible, assertFits, launchChromium, openPage, takePicture } from "./browser.mjs";

const [url, token, hostile] = process.argv.slice(2);
const browser = await launchChromium();
try {
  await checkFraming();
  await checkViews();
} finally {
  await browser.close();
}

/** Another site shows the console in a frame, which stays empty. */
async function checkFraming() {
  const site = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<iframe src="${url}/console/"></iframe>`);
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { page, problems, close } = await openPage(
    browser,
    `http://localhost:${site.address().port}/`,
  );
  const frame = page.frames()[1];
  await frame.waitForLoadState();
  assert.equal(await frame.locator("#app").count(), 0);
  assert.ok(
    problems.some((problem) => problem.includes("frame-ancestors")),
    problems.join("\n"),
  );
  await close();
  site.close();
  console.log("FRAME IS EMPTY");
}

async function checkViews() {
  const { page, problems, close } = await openPage(browser, `${url}/console/`);
  await page.getByLabel("Admin token").fill("wrong-wrong-wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("the token is invalid for this node").waitFor();
  console.log("WRONG TOKEN IS REFUSED");
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("No node requires attention.").waitFor();
  for (const name of ["Topics", "Clients", "Why no data?", "Operations", "Overview"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    await takePicture(page, `real-${name.replace(/\W/g, "").toLowerCase()}`, { fullPage: true });
    await assertAccessible(page, name);
    await assertFits(page, 360, name);
    await page.setViewportSize({ width: 1280, height: 900 });
  }
  console.log("VIEWS ARE SHOWN");
  await page.getByRole("link", { name: "Operations" }).click();
  await page.getByRole("cell", { name: hostile, exact: true }).waitFor();
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  console.log("HOSTILE NAME IS TEXT");
  assert.deepEqual(problems, []);
  await close();
}
