// Tests a page that loses its network and gets it back: node network.mjs <base-url>
//
// Numbers are published during the test. Prints OFFLINE SHOWN, BACK ONLINE, and NOTHING MISSED once
// the page has received every number once, in order, without a gap. Exit status 0; 1 with an
// explanation on failure.
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { launchChromium } from "./chromium.mjs";

const WAIT_MS = 60_000;
const TOPIC = "network.numbers";

const [baseUrl] = process.argv.slice(2);
if (!baseUrl) {
  console.error("usage: node network.mjs <base-url>");
  process.exit(2);
}

let published = 0;
const publisher = connect(new URL("/ws", baseUrl.replace("http", "ws")), { WebSocket });
const browser = await launchChromium();
const context = await browser.newContext();
const page = await context.newPage();
try {
  await judge();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  console.log(JSON.stringify(await page.evaluate(() => window.received).catch(() => null)));
  process.exitCode = 1;
} finally {
  await browser.close();
  publisher.close();
}

async function judge() {
  await page.goto(baseUrl);
  await page.evaluate(listen, TOPIC);
  await expect("the page is subscribed", () => window.received.live);
  await publish(10);
  await expect("the first numbers have come", () => window.received.numbers.length === 10);
  await context.setOffline(true);
  await expect("the page shows that it is offline", () => window.received.status === "connecting");
  console.log("OFFLINE SHOWN");
  await publish(100);
  await context.setOffline(false);
  await expect("the page is open again", () => window.received.status === "open");
  console.log("BACK ONLINE");
  await publish(10);
  await expect(
    "all numbers have come",
    (count) => window.received.numbers.length >= count,
    published,
  );
  const { numbers, gaps } = await page.evaluate(() => window.received);
  const wanted = Array.from({ length: published }, (_, i) => String(i + 1));
  if (numbers.join() !== wanted.join()) throw new Error(`expected 1 to ${published}: ${numbers}`);
  if (gaps.length > 0) throw new Error(`expected no gap: ${gaps}`);
  console.log("NOTHING MISSED");
}

/** Runs in the page. */
async function listen(topic) {
  const { connect } = await import("/sluice/index.js");
  const received = { live: false, status: "", numbers: [], gaps: [] };
  window.received = received;
  const client = connect(new URL("/ws", window.location.href.replace("http", "ws")));
  client.on("state", ({ status }) => (received.status = status));
  client.subscribe(topic, {
    onMessage: ({ payload }) => received.numbers.push(payload),
    onGap: ({ reason }) => received.gaps.push(reason),
    onState: ({ status }) => (received.live = status === "live"),
  });
}

async function publish(count) {
  for (let i = 0; i < count; i++) await publisher.publish(TOPIC, String(++published));
}

async function expect(what, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: WAIT_MS, polling: 50 });
  } catch (cause) {
    throw new Error(`expected that ${what}`, { cause });
  }
}
