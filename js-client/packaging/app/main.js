// Page of every bundler: receives and publishes over each kind of connection. Each loads other
// dynamic imports of the package. The attribute data-result of the document is PASSED or an error.
import { connect } from "@sluice/client";
import { connectShared } from "@sluice/client/shared";

const { url, topic } = Object.fromEntries(new URLSearchParams(location.search));
const MESSAGES = 3;

const CONNECTIONS = {
  websocket: () => connect(url, { transports: ["websocket"] }),
  http: () => connect(url, { transports: ["http"] }),
  shared: () => connectShared(startWorker, url),
};

/** Bundlers recognize this expression, and write the worker to a separate file. */
function startWorker() {
  return new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module" });
}

/** Receives messages in a loop, and publishes one. */
async function exchange(client) {
  let count = 0;
  for await (const { payload } of client.messages(topic)) {
    if (payload.length > 0 && ++count === MESSAGES) break;
  }
  await client.publish("bundlers.echo", "hello");
}

async function check() {
  for (const [name, open] of Object.entries(CONNECTIONS)) {
    const client = open();
    try {
      await exchange(client);
    } catch (cause) {
      throw new Error(`${name}: ${cause.message}`, { cause });
    } finally {
      client.close();
    }
  }
}

check().then(
  () => (document.documentElement.dataset.result = "PASSED"),
  (error) => (document.documentElement.dataset.result = error.message),
);
