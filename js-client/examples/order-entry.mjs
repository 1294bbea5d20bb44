// Checks the example in the folder orders, for examples.mjs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const WAIT = { timeout: 60_000, polling: 100 };
const DESK = fileURLToPath(new URL("orders/desk.mjs", import.meta.url));
const NARROW_PX = 360;

/**
 * Checks quotes, orders, their fills and the blotter; the desk starts after the first order.
 *
 * @param newPage - Returns a page with separate cookies.
 * @param address - Address of the page, without parameters.
 */
export async function checkOrders(newPage, address, nodeUrl) {
  const ann = await open(newPage, address, nodeUrl, "ann");
  const bob = await open(newPage, address, nodeUrl, "bob");
  await submit(ann, "ACME", 100);
  await shows(ann, "#blotter", "buy 100 ACME0working");
  const desk = await startDesk(nodeUrl);
  try {
    // The order has waited in its queue.
    await shows(ann, "#blotter", "buy 100 ACME100101.30filled");
    await bob.selectOption("[name=symbol]", "GLOBEX");
    await bob.click("#quote");
    await shows(bob, "#price", "GLOBEX 48.45 to 48.55");
    await submit(bob, "INITECH", 60);
    await shows(bob, "#blotter", "buy 60 INITECH6012.80filled");
    await isEmpty(ann, "#error");
    await checkRows(ann, 1);
    await checkRows(bob, 1);
    await fits(bob);
  } finally {
    desk.kill();
  }
  await ann.close();
  await bob.close();
  console.log("ORDERS ARE FILLED");
}

async function open(newPage, address, nodeUrl, trader) {
  const page = await newPage();
  await page.goto(`${address}?${new URLSearchParams({ url: nodeUrl, trader })}`);
  await shows(page, "#state", "open");
  return page;
}

async function submit(page, symbol, quantity) {
  await page.selectOption("[name=symbol]", symbol);
  await page.fill("[name=quantity]", String(quantity));
  await page.click("#submit");
}

/** Starts the desk, and returns its process when it serves. */
async function startDesk(nodeUrl) {
  const desk = spawn(process.execPath, [DESK, nodeUrl], { stdio: ["ignore", "pipe", "inherit"] });
  await once(createInterface({ input: desk.stdout }), "line");
  return desk;
}

async function isEmpty(page, selector) {
  const text = await page.textContent(selector);
  if (text !== "") throw new Error(`${page.url()}: ${selector} shows "${text}"`);
}

async function checkRows(page, expected) {
  const rows = await page.locator("#blotter tr").count();
  if (rows !== expected) throw new Error(`${page.url()}: the blotter has ${rows} rows`);
}

async function fits(page) {
  await page.setViewportSize({ width: NARROW_PX, height: 800 });
  const width = await page.evaluate("document.documentElement.scrollWidth");
  if (width > NARROW_PX) throw new Error(`${page.url()}: is ${width} pixels wide`);
}

async function shows(page, selector, text) {
  try {
    await page.waitForFunction(
      ([where, expected]) => document.querySelector(where)?.textContent.includes(expected),
      [selector, text],
      WAIT,
    );
  } catch (cause) {
    const shown = await page.textContent("body");
    throw new Error(`${page.url()}: ${selector} lacks "${text}"; the page shows: ${shown}`, {
      cause,
    });
  }
}
