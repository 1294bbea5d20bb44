// Answers the questions of operators by the console of a real node, and ends the slowest session.
// Usage: real-questions.mjs ADMIN_URL TOKEN
//
// The client alice is subscribed to prices.quiet and may not subscribe to orders; the client slow
// does not read the messages of prices.busy.
import assert from "node:assert/strict";
import { launchChromium, openPage, takePicture } from "./browser.mjs";

const MINUTE_MS = 60_000;
const [url, token] = process.argv.slice(2);
const browser = await launchChromium();
try {
  const { page, problems } = await openPage(browser, `${url}/console/`);
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  for (const question of [askWhy, askSubscribers, askHottest, askSlowest]) {
    const start = performance.now();
    console.log(await question(page));
    await takePicture(page, `real-${question.name}`);
    assert.ok(performance.now() - start < MINUTE_MS);
  }
  console.log(await disconnect(page));
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}

async function open(page, name) {
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

function firstCell(page) {
  return page.locator("tbody tr").first().locator("td").first().textContent();
}

async function sorted(page, column) {
  await page.locator("th[aria-sort]", { hasText: column }).waitFor();
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
}

async function askWhy(page) {
  await open(page, "Why no data?");
  await page.getByLabel("Subject").fill("alice");
  await page.getByLabel("Topic").fill("orders");
  await page.getByRole("button", { name: "Check" }).click();
  await page.locator(".alert", { hasText: /^permission: / }).waitFor();
  return "NO DATA: PERMISSION";
}

async function askSubscribers(page) {
  await open(page, "Topics");
  await page.getByRole("searchbox").fill("quiet");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: "prices.quiet" }).click();
  await page.getByText("1 of 1 subscriptions").waitFor();
  await showMessage(page);
  const subscribers = page.getByRole("table", { name: "Subscribers of prices.quiet" });
  return `SUBSCRIBER: ${await subscribers.locator("tbody td").first().textContent()}`;
}

/** Shows a message that the caller publishes on request. */
async function showMessage(page) {
  await page.getByRole("button", { name: "Show live messages" }).click();
  await page.getByText("The messages of this node are shown as they arrive.").waitFor();
  console.log("PUBLISH");
  await page.getByText("text of 5 B  (payload not shown)").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
}

async function askHottest(page) {
  await open(page, "Topics");
  await page.getByText("1–3 of 3").waitFor();
  await page.getByRole("button", { name: "Payload" }).click();
  await sorted(page, "Payload");
  // The rate is that of the last seconds, and the page reads it again every five.
  await page.locator("tbody tr:first-child td", { hasText: "prices.hot" }).first().waitFor();
  return `HOTTEST: ${await firstCell(page)}`;
}

async function askSlowest(page) {
  await open(page, "Clients");
  await page.getByRole("button", { name: "Pending" }).click();
  await sorted(page, "Pending");
  return `SLOWEST: ${await firstCell(page)}`;
}

async function disconnect(page) {
  await page.getByRole("link", { name: "slow", exact: true }).click();
  await page.getByRole("table", { name: "Subscriptions" }).getByText("prices.busy").waitFor();
  await takePicture(page, "real-client");
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("The session has ended.").waitFor();
  await open(page, "Clients");
  await page.getByText("1–1 of 1").waitFor();
  return "DISCONNECTED: slow";
}
