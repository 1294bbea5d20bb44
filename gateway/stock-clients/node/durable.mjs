// @durable-streams/client in a page of Chromium, one topic per subscription:
// node durable.mjs <host:port>
//
// The client repeats failed requests from its last offset. It resumes a stream that has ended in the
// page from there.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../../js-client/browser/chromium.mjs";
import { servePackage } from "../../../js-client/browser/package-server.mjs";
import { follow, say, split } from "./lines.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const requireBuilder = createRequire(join(HERE, "..", "..", "..", "js-client", "package.json"));
const { build } = requireBuilder("esbuild");

const [address] = process.argv.slice(2);
const bundle = await build({
  stdin: {
    contents: 'export { stream } from "@durable-streams/client"',
    resolveDir: dirname(HERE),
  },
  bundle: true,
  format: "iife",
  globalName: "durable",
  write: false,
});
const server = await servePackage();
const browser = await launchChromium();
const page = await browser.newPage();
await page.exposeFunction("say", say);
await page.goto(server.urlOf("browser/elsewhere.html", {}));
await page.addScriptTag({ content: bundle.outputFiles[0].text });
say("OPEN");

/** Runs in the page. */
async function read({ address, topic, live }) {
  let offset = "now";
  let isOpen = false;
  for (;;) {
    try {
      const response = await window.durable.stream({
        url: `http://${address}/topics/${topic}`,
        offset,
        live,
        json: true,
        onError: (error) => {
          window.say("LOST", String(error));
          if (error.status !== 410) return;
          // The node cannot continue from the offset: messages may be missing.
          window.say("NOTICE", "offset gone");
          offset = "now";
        },
      });
      if (!isOpen) window.say("SUBSCRIBED", topic);
      isOpen = true;
      response.subscribeJson((batch) => {
        for (const item of batch.items) window.say("MESSAGE", topic, String(item));
        offset = batch.offset;
      });
      await response.closed;
    } catch (error) {
      window.say("LOST", String(error));
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Runs in the page. */
async function publish({ address, topic, text }) {
  const request = { method: "POST", headers: { "Content-Type": "text/plain" }, body: text };
  const response = await fetch(`http://${address}/topics/${topic}`, request);
  window.say(response.ok ? "PUBLISHED" : "REFUSED", text, response.status);
}

follow(
  {
    // Reading does not end.
    subscribe(topic) {
      page.evaluate(read, { address, topic, live: "sse" }).catch(() => {});
    },
    publish(rest) {
      const [topic, text] = split(rest);
      return page.evaluate(publish, { address, topic, text });
    },
  },
  async () => {
    await browser.close();
    server.stop();
  },
);
