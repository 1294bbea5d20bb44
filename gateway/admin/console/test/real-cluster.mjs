// Shows a topic of two real nodes, and traces and ends the session of a client of the node that does not serve
// the console.
// Usage: real-cluster.mjs ADMIN_URL TOKEN OTHER_NODE
import assert from "node:assert/strict";
import { launchChromium, openPage, takePicture } from "./browser.mjs";

const [url, token, other] = process.argv.slice(2);
const browser = await launchChromium();
try {
  const { page, problems } = await openPage(browser, `${url}/console/`);
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("link", { name: `Console of ${other}` }).waitFor();
  await takePicture(page, "real-cluster", { fullPage: true });
  await showTopic(page);
  await disconnect(page);
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}

async function showTopic(page) {
  await page.goto(`${url}/console/#/topics/both`);
  await page.getByText("2 of 2 subscriptions").waitFor();
  const nodes = page.getByRole("table", { name: "Nodes with both" });
  console.log(`NODES: ${await nodes.locator("tbody tr").count()}`);
}

async function disconnect(page) {
  await page.getByRole("link", { name: "Clients", exact: true }).click();
  await page.getByText("1–2 of 2").waitFor();
  await page.locator("tbody tr", { hasText: other }).getByRole("link").click();
  await trace(page);
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("The session has ended.").waitFor();
  console.log("DISCONNECTED");
}

/** Shows the frames of a subscription that the caller sends on request. */
async function trace(page) {
  await page.getByRole("button", { name: "Trace" }).click();
  await page.getByText("Frames are recorded for 60 s.").waitFor();
  console.log("SUBSCRIBE");
  const frames = page.getByRole("table", { name: "Recent frames" });
  await frames.getByRole("cell", { name: "subscribed", exact: true }).waitFor();
  await takePicture(page, "real-trace", { fullPage: true });
}
