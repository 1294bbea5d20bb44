// Runs the code examples of README.md, js-client/README.md and docs against a node:
// node snippets.mjs <ws-url>
//
// The node permits anonymous clients to publish to all topics, to use the queues of the examples,
// and selectors. Each example runs as a module in this process, with the names that
// test/snippets.d.ts declares. It has to receive a message, a reply or a confirmation, and to cause
// no error. Prints SNIPPETS RUN and the number; exit status 1 with the failures.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { snippetsOf } from "../scripts/page-snippets.mjs";
import { EXCEPTIONS } from "./snippet-exceptions.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(PACKAGE, "target", "run-snippets");
const WAIT_MS = 10_000;
const FEED_MS = 200;
const TOPICS = ["stocks.7", "alerts.1", "orders", "orders.eu", "orders.new", "prices.AAPL"];
const ORDER = { id: 7, price: 101.25 };
const PROPERTIES = { region: "EU", price: 101.25, orderId: "7" };
const RESULT = /^<- .*"type":"(message|delivery|reply|published|done)"/;
const HELLO = /^<- .*"type":"hello"/;
// Other examples only connect, or listen to events.
const CALL = /subscribe|messages\(|publish|consume|request|serve|views?\$|Messages/;
// Time in which an error may follow the first result.
const SETTLE_MS = 200;
const RECEIVERS = ["apply", "display", "handle", "show"];
const OTHER_NAMES = ["dim", "log", "plot", "reload", "showStatus", "undim", "warn"];

const [url] = process.argv.slice(2);
if (!url) {
  console.error("usage: node snippets.mjs <ws-url>");
  process.exit(2);
}
globalThis.WebSocket ??= WebSocket;

/** Results of the example that is running. */
let current;

const feeder = connect(url, { WebSocket });
feeder.on("error", (error) => console.error("feeder:", error));
await feeder.serve("quotes", () => "1.08", { credit: 10 });
const feed = setInterval(publishAll, FEED_MS);
process.on("unhandledRejection", (error) => current?.errors.push(error));
process.on("uncaughtException", (error) => current?.errors.push(error));

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
defineNames();
const failures = [];
const unused = new Set(EXCEPTIONS);
let count = 0;
for (const page of pages()) {
  for (const snippet of snippetsOf(join(ROOT, page), ["js", "ts"])) {
    const exception = EXCEPTIONS.find(([of, part]) => of === page && snippet.code.includes(part));
    unused.delete(exception);
    if (exception) continue;
    count++;
    const failure = await run(page, snippet);
    if (failure) failures.push(`${page}:${snippet.line}: ${failure}`);
  }
}
for (const [page, part] of unused) failures.push(`${page}: no example contains ${part}`);
clearInterval(feed);
feeder.close();
for (const failure of failures) console.log(`FAILED: ${failure}`);
if (failures.length === 0) console.log(`SNIPPETS RUN: ${count}`);
// Examples leave timers and connections behind.
process.exit(failures.length === 0 ? 0 : 1);

/** Returns the pages with examples, relative to the repository. */
function pages() {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true })
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
    .filter((path) => !path.startsWith(".") && !path.startsWith("reference"))
    .map((path) => `docs/${path}`);
  return ["README.md", "js-client/README.md", ...docs.sort()];
}

/** Runs one example; returns why it failed. */
async function run(page, { code, line, language }) {
  const clients = [];
  const result = CALL.test(code) ? RESULT : HELLO;
  current = { errors: [], results: 0, result, clients };
  const state = current;
  globalThis.client = open(url);
  const file = join(FOLDER, `${basename(page, ".md").toLowerCase()}-${line}.mjs`);
  const script = await transform(prepared(code), { loader: language, format: "esm" });
  writeFileSync(file, script.code);
  try {
    const running = import(pathToFileURL(file).href);
    running.catch((error) => state.errors.push(error));
    await until(() => state.results > 0 || state.errors.length > 0);
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, SETTLE_MS))]);
  } catch (error) {
    state.errors.push(error);
  }
  for (const client of clients) client.close();
  const [error] = state.errors;
  return error && `${error.code ?? ""} ${error.message ?? error}`;
}

/** Returns the code with the addresses of the node, and with clients that are observed. */
function prepared(code) {
  const own = pathToFileURL(join(PACKAGE, "examples", "snippet-client.mjs")).href;
  return code
    .replace(/wss:\/\/[a-z]+\.example\.com\/ws/g, url)
    .replaceAll('from "@sluice/client"', `from ${JSON.stringify(own)}`);
}

/** Connects with an observation of the frames. */
function open(address, options = {}) {
  const state = current;
  const client = connect(address, {
    encoding: "json",
    ...options,
    WebSocket,
    debug: ({ kind, text }) => {
      if (kind === "frame" && state.result.test(text)) state.results++;
    },
  });
  client.on("error", (error) => state.errors.push(error));
  state.clients.push(client);
  return client;
}

function defineNames() {
  globalThis.sluiceConnect = open;
  globalThis.order = ORDER;
  globalThis.token = undefined;
  for (const name of OTHER_NAMES) globalThis[name] = () => undefined;
  for (const name of RECEIVERS) globalThis[name] = () => void current.results++;
  globalThis.priceOf = () => Promise.resolve("101.25");
}

/** Failures are ignored: a queue exists only after an example has consumed from it. */
function publishAll() {
  if (feeder.state.status !== "open") return;
  const options = { properties: PROPERTIES };
  const sent = TOPICS.map((topic) => feeder.publish(topic, ORDER, options));
  sent.push(feeder.queue("orders").publish(ORDER, options));
  sent.push(feeder.queue("quotes").request("EURUSD"));
  void Promise.allSettled(sent);
}

async function until(holds) {
  const deadline = Date.now() + WAIT_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("no message, reply or confirmation");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
