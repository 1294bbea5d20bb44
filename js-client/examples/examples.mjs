// Checks the examples in this folder: node examples.mjs <ws-url> <topic>. Messages are published to
// the topic all the time, and the node has the permissions of orders/node.yaml. With the address of
// the chat's page as a third argument it also checks the tutorials in docs/tutorials; the node then
// has the demo's feed.
//
// Prints a line for each success, such as PLAIN SHOWS MESSAGES. After SCREEN SHOWS PRICES the caller
// stops the feed and writes the line STOPPED. Exit status 0; 1 with an explanation on failure.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launchChromium } from "../browser/chromium.mjs";
import { checkOrders } from "./order-entry.mjs";
import { buildTradingScreen, checkChat, checkRenewal, checkTradingScreen } from "./tutorials.mjs";

const WAIT_MS = 60_000;
const WANTED = 3;
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
};

const [url, topic, chatAddress] = process.argv.slice(2);
if (!url || !topic) {
  console.error("usage: node examples.mjs <ws-url> <topic> [<chat-url>]");
  process.exit(2);
}

const server = createServer((request, response) => void serve(request, response));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const lines = createInterface({ input: process.stdin });
let browser;
try {
  await printsMessages();
  browser = await launchChromium();
  await showsMessages("plain");
  await showsMessages("react");
  await checkOrders(newPage, `${origin}/examples/orders/index.html`, url);
  if (chatAddress) await checkTutorials();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  lines.close();
  await browser?.close();
  server.closeAllConnections();
  server.close();
}

async function printsMessages() {
  const script = join(PACKAGE, "examples", "node", "print.mjs");
  const child = spawn(process.execPath, [script, url, topic], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const timer = setTimeout(() => child.kill(), WAIT_MS);
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes(": ") && ++count === WANTED) child.kill();
  }
  clearTimeout(timer);
  if (count < WANTED) throw new Error(`the Node script printed ${count} messages`);
  console.log("NODE SHOWS MESSAGES");
}

async function showsMessages(name) {
  const page = await newPage();
  const query = new URLSearchParams({ url, topic });
  await page.goto(`${origin}/examples/${name}/index.html?${query}`);
  try {
    await page.waitForFunction(
      (wanted) => document.querySelectorAll("#messages li").length >= wanted,
      WANTED,
      { timeout: WAIT_MS, polling: 100 },
    );
  } catch (cause) {
    throw new Error(`the ${name} page shows no messages`, { cause });
  }
  await page.close();
  console.log(`${name.toUpperCase()} SHOWS MESSAGES`);
}

async function checkTutorials() {
  const member = await checkChat(newPage, chatAddress);
  const screen = await buildTradingScreen(url);
  await checkTradingScreen(await newPage(), `${origin}/${screen}`, async () => {
    await once(lines, "line");
  });
  // The token of the chat expires while the screen is checked.
  await checkRenewal(member);
}

/** Opens a page with separate cookies, whose errors are printed. */
async function newPage() {
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => console.error(`${page.url()}: ${error.message}`));
  return page;
}

async function serve(request, response) {
  const path = normalize(new URL(request.url, "http://examples").pathname);
  try {
    const content =
      path === "/examples/react/main.js" ? await bundle() : await readFile(join(PACKAGE, path));
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type }).end(content);
  } catch {
    response.writeHead(404).end("no such file");
  }
}

/** Same command as in the first lines of the page. */
async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [join(PACKAGE, "examples", "react", "main.jsx")],
    bundle: true,
    jsx: "automatic",
    write: false,
  });
  return outputFiles[0].contents;
}
