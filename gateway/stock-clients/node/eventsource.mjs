// EventSource in Chromium: node eventsource.mjs <host:port>
//
// The browser itself sends Last-Event-ID when it connects again.
import { launchChromium } from "../../../js-client/browser/chromium.mjs";
import { servePackage } from "../../../js-client/browser/package-server.mjs";
import { follow, isRepeated, say, split } from "./lines.mjs";

const [address] = process.argv.slice(2);
const server = await servePackage();
const browser = await launchChromium();
const page = await browser.newPage();
await page.exposeFunction("say", say);
await page.exposeFunction("onEvent", (id, ...message) => {
  say(isRepeated(id) ? "AGAIN" : "MESSAGE", ...message);
});
await page.goto(server.urlOf("browser/elsewhere.html", {}));
say("OPEN");

/** Runs in the page. */
function open({ address, pattern }) {
  const query = new URLSearchParams({ topic: pattern });
  const source = new EventSource(`http://${address}/topics?${query}`);
  source.onopen = () => window.say("SUBSCRIBED", pattern);
  source.onerror = () => window.say("LOST");
  source.onmessage = ({ data }) => {
    const { topic, payload, id } = JSON.parse(data);
    window.onEvent(id, topic, payload);
  };
  for (const type of ["gap", "stale"]) {
    source.addEventListener(type, ({ data }) => window.say("NOTICE", type, data));
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
    subscribe: (pattern) => page.evaluate(open, { address, pattern }),
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
