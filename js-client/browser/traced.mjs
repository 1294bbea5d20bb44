// Runs the page of docs/how-to/tracing.md in Chromium: node traced.mjs <ws-url> <otlp-url>. The
// page exports its spans by OTLP over HTTP.
//
// Prints SUBSCRIBED, and waits for a line: a message has been published to stocks.7. Prints SHOWN
// when the page has received it, and waits for another line: the receiver has the page's span. Exit
// status 0; 1 with an explanation on failure.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { snippetsOf } from "../scripts/page-snippets.mjs";
import { launchChromium } from "./chromium.mjs";
import { servePackage } from "./package-server.mjs";

const WAIT_MS = 120_000;
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../docs/how-to/tracing.md", import.meta.url));
const NODE = "wss://prices.example.com/ws";
const COLLECTOR = "https://collector.example.com/v1/traces";

const [url, otlp] = process.argv.slice(2);
if (!url || !otlp) {
  console.error("usage: node traced.mjs <ws-url> <otlp-url>");
  process.exit(2);
}

await bundle();
const server = await servePackage();
const browser = await launchChromium();
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(`the page: ${error.message}`));
  const subscribed = page
    .waitForEvent("websocket", { timeout: WAIT_MS })
    .then((socket) =>
      socket.waitForEvent("framereceived", { predicate: isSubscribed, timeout: WAIT_MS }),
    );
  await page.goto(server.urlOf("browser/traced.html"));
  await subscribed;
  await report("SUBSCRIBED");
  await page.waitForFunction(() => window.shown.includes("stocks.7"), undefined, {
    timeout: WAIT_MS,
  });
  await report("SHOWN");
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.stop();
  process.stdin.destroy();
}

/** Bundles the example that registers a tracer provider, with the addresses of this run. */
async function bundle() {
  const example = snippetsOf(GUIDE, ["ts"]).find(({ code }) => code.includes("WebTracerProvider"));
  await build({
    stdin: {
      contents: example.code.replace(NODE, url).replace(COLLECTOR, otlp),
      resolveDir: PACKAGE,
      loader: "ts",
    },
    outfile: `${PACKAGE}target/traced-page.js`,
    bundle: true,
    format: "esm",
    target: "es2022",
    alias: { "@sluice/client": `${PACKAGE}dist` },
  });
}

function isSubscribed({ payload }) {
  return String(payload).includes('"type":"subscribed"');
}

async function report(line) {
  console.log(line);
  await answers.next();
}
