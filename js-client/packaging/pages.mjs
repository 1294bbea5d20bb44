// Bundles applications with the packed package, and opens them in Chromium against a node:
// node pages.mjs fast|heavy [<bundler>]
//
// Prints a line for each bundler, such as VITE PASSED, or VITE SKIPPED where this version of Node is
// too old. Exit status 0; 1 with an explanation on failure. Versions and durations go to stderr.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { launchChromium } from "../browser/chromium.mjs";
import { servePackage } from "../browser/package-server.mjs";
import { connect } from "../dist/index.js";
import { Broker, Gateway } from "../integration/processes.mjs";
import { createConsumer, install, pack, TARGET } from "./consumer.mjs";
import { checkOutput } from "./outputs.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const WAIT_MS = 60_000;

const TOPIC = "bundlers.1";
const PERIOD_MS = 50;

const [kind, only] = process.argv.slice(2);
if (!["fast", "heavy"].includes(kind)) {
  console.error("usage: node pages.mjs fast|heavy [<bundler>]");
  process.exit(2);
}

const { bundlers, folder } = await load();
const tarball = pack(join(TARGET, `tarball-${kind}`));
let broker, node, publisher, browser;
try {
  broker = await Broker.start();
  node = await Gateway.start(broker);
  publisher = publish(node.url);
  browser = await launchChromium();
  for (const [name, bundler] of Object.entries(bundlers)) {
    if (!only || only === name) await check(name, bundler);
  }
} catch (error) {
  console.error(error);
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  publisher?.stop();
  await node?.close();
  await broker?.stop("SIGKILL");
}

/** Publishes numbers to the topic until it is stopped. */
function publish(url) {
  const client = connect(url, { WebSocket });
  let number = 0;
  // The last publish may remain without an answer.
  const next = () => void client.publish(TOPIC, String(++number)).catch(() => undefined);
  const timer = setInterval(next, PERIOD_MS);
  return {
    stop() {
      clearInterval(timer);
      client.close();
    },
  };
}

/** Installs the bundlers, and returns them with the folder that has their node_modules. */
async function load() {
  const folder = kind === "fast" ? HERE : join(HERE, "heavy");
  install(folder);
  const { BUNDLERS } = await import(`./${kind}.mjs`);
  return { bundlers: BUNDLERS, folder };
}

async function check(name, bundler) {
  const { modules, home = folder, sources = "app", leastScripts, bundle, receive = open } = bundler;
  const manifests = modules.map((module) => manifestOf(home, module));
  if (!manifests.every(isSupported)) {
    console.log(`${name.toUpperCase()} SKIPPED`);
    return;
  }
  const start = performance.now();
  const app = createConsumer(join(folder, "target", name, "app"), join(HERE, sources), tarball);
  const out = join(folder, "target", name, "out");
  await rm(out, { recursive: true, force: true });
  const { url } = node;
  await bundle(app, out, { url, topic: TOPIC });
  const bundled = performance.now();
  checkOutput(out, leastScripts);
  await receive(out, { name, url, topic: TOPIC });
  const seconds = (from, to) => `${((to - from) / 1_000).toFixed(1)} s`;
  const versions = manifests.map(({ name, version }) => `${name} ${version}`).join(", ");
  const times = `bundled in ${seconds(start, bundled)}, run in ${seconds(bundled, performance.now())}`;
  console.error(`${versions}: ${times}`);
  console.log(`${name.toUpperCase()} PASSED`);
}

/** Opens the page of the output; fails unless it passes. */
async function open(out, { name, url, topic }) {
  const server = await servePackage(out);
  const page = await browser.newPage();
  page.on("console", (message) => console.error(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => console.error(`${name}: ${error.message}`));
  try {
    await page.goto(server.urlOf("index.html", { url, topic }));
    const root = page.locator("html[data-result]");
    await root.waitFor({ state: "attached", timeout: WAIT_MS });
    const result = await root.getAttribute("data-result");
    if (result !== "PASSED") throw new Error(`${name}: ${result}`);
  } finally {
    await page.close();
    server.stop();
  }
}

function manifestOf(home, module) {
  const path = join(home, "node_modules", module, "package.json");
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Returns whether this version of Node meets the requirement, such as ^20.19.0 || >=22. */
function isSupported({ engines }) {
  const required = engines?.node ?? "*";
  return required.split("||").some((range) => meets(process.versions.node, range.trim()));
}

function meets(version, range) {
  const [, operator, least] = /^(\^|>=)?\s*([\d.]+|\*)/.exec(range) ?? [];
  if (least === "*") return true;
  const [is, wanted] = [version, least].map((text) => text.split(".").map(Number));
  if (operator === "^" && is[0] !== wanted[0]) return false;
  for (let i = 0; i < 3; i++) {
    const difference = is[i] - (wanted[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
