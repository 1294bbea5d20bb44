// Runs the specs in the npm package of stompjs 4 with its client: node specs.mjs <ws-url>
//
// Packages of later versions contain no specs. The login is empty: the node admits clients without. Prints PASSED or FAILED with the name of each spec,
// and why it failed.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { WebSocket } from "ws";
import { say } from "./lines.mjs";

const [url] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const specs = join(dirname(require.resolve("stompjs-specs/package.json")), "tests", "unit");

/** As in browsers, an error without a listener is no exception. */
class BrowserWebSocket extends WebSocket {
  constructor(...settings) {
    super(...settings);
    this.on("error", () => {});
  }
}

const Stomp = require("stompjs-specs");
const settings = {
  destination: "/topic/chat.general",
  login: "",
  password: "",
  url,
  badUrl: "ws://127.0.0.1:9",
  timeout: 2_000,
  debug() {},
};
const QUnit = require("qunit");
Object.assign(globalThis, {
  WebSocket: BrowserWebSocket,
  QUnit,
  Stomp,
  TEST: settings,
  stompClient: () => Stomp.client(settings.url),
  badStompClient: () => Stomp.client(settings.badUrl),
});

QUnit.config.autostart = false;
QUnit.config.reorder = false;
QUnit.config.testTimeout = 60_000;
const reasons = [];
QUnit.log(({ result, message, actual, expected }) => {
  if (!result) reasons.push(`${message} (expected ${expected}, was ${actual})`);
});
QUnit.testDone(({ module, name, failed }) => {
  const why = reasons.splice(0).join("; ").replaceAll("\n", " ");
  if (failed === 0) say("PASSED", `${module}: ${name}`);
  else say("FAILED", `${module}: ${name} because ${why}`);
});
QUnit.done(() => process.exit(0));
for (const file of readdirSync(specs).sort()) require(join(specs, file));
QUnit.start();
