// Tests of docs/how-to/log-in.md in Chromium against a real node: the page's examples for plain
// JavaScript, React and Vue, with tokens of the user who is logged in.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compileScript, parse } from "vue/compiler-sfc";
import { WebSocket } from "ws";
import { launchChromium } from "../browser/chromium.mjs";
import { connect } from "../dist/index.js";
import { snippetsOf } from "../scripts/page-snippets.mjs";
import { Issuer } from "./issuer.mjs";
import { Broker, Gateway, until } from "./processes.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const PAGE = fileURLToPath(new URL("../../docs/how-to/log-in.md", import.meta.url));
const WAIT = { timeout: 120_000, polling: 20 };
const LIFE_MS = 60_000;

/** Code that mounts the example of a page, with the functions `logIn(user)` and `logOut()`. */
const MAINS = {
  plain: `
    globalThis.fetchToken = fetchToken;
    globalThis.show = ({ payload }) => (document.body.textContent = payload);
    Object.assign(globalThis, { logIn, logOut });`,
  react: `
    import { createRoot } from "react-dom/client";
    import { useClient } from "@sluice/client/react";
    function Using() {
      globalThis.client = useClient();
      return null;
    }
    const root = createRoot(document.body);
    globalThis.logIn = (user) => root.render(<App userId={user} />);
    globalThis.logOut = () => root.render(<App userId={undefined} />);`,
};

describe("the login guide in Chromium", { timeout: 300_000 }, () => {
  let issuer;
  let broker;
  let gateway;
  let server;
  let browser;
  let publisher;
  let page;
  let user;
  let lifeMs;
  const scripts = {};

  before(async () => {
    issuer = await Issuer.start();
    broker = await Broker.start();
    gateway = await Gateway.start(broker, {
      "auth.jwt.keys": JSON.stringify([issuer.keyFile]),
    });
    for (const kind of ["plain", "react", "vue"]) scripts[kind] = await bundle(kind, gateway.url);
    server = createServer(serve);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    browser = await launchChromium();
    const token = issuer.token("publisher", 3_600_000);
    publisher = connect(gateway.url, { WebSocket, token });
    await publisher.publish("stocks.7", "101.25");
  });

  after(async () => {
    publisher?.close();
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await gateway?.close();
    await broker?.stop("SIGKILL");
    await issuer?.close();
  });

  afterEach(() => page?.close());

  function serve({ url }, response) {
    const { pathname } = new URL(url, "http://page");
    if (pathname === "/token") {
      if (user === undefined) response.writeHead(401).end();
      else response.end(issuer.token(user, lifeMs));
    } else if (pathname.endsWith(".js")) {
      response.writeHead(200, { "Content-Type": "text/javascript" });
      response.end(scripts[pathname.slice(1, -3)]);
    } else {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(`<body></body><script type="module" src="${pathname}.js"></script>`);
    }
  }

  async function open(kind) {
    lifeMs = LIFE_MS;
    page = await browser.newPage();
    page.on("console", (message) => console.error(`${kind}: ${message.text()}`));
    page.on("pageerror", (error) => console.error(`${kind}: ${error.message}`));
    await page.goto(`http://127.0.0.1:${server.address().port}/${kind}`);
    await page.waitForFunction(() => window.logIn, undefined, WAIT);
  }

  async function logIn(name) {
    user = name;
    await page.evaluate((name) => window.logIn(name), name);
    await showsPrices();
  }

  async function logOut() {
    user = undefined;
    await page.evaluate(() => window.logOut());
  }

  /** Publishes until the page shows the latest price. */
  async function showsPrices() {
    const price = String(Math.random());
    await until("the page shows the price", async () => {
      await publisher.publish("stocks.7", price);
      return (await page.textContent("body")).includes(price);
    });
  }

  /** Returns the users with a session at the node, except for the publisher. */
  async function users() {
    const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}/clients`);
    const { clients } = await answer.json();
    return clients.map(({ subject }) => subject).filter((subject) => subject !== "publisher");
  }

  async function onlyUsersAre(...expected) {
    await until(`there are only sessions of ${expected}`, async () => {
      return String(await users()) === String(expected);
    });
  }

  test("shouldServeOneUserAfterTheOther by plain JavaScript", async () => {
    await open("plain");
    await logIn("ann");
    await onlyUsersAre("ann");
    await logOut();
    await logIn("bob");
    await onlyUsersAre("bob");
    await logOut();
    await onlyUsersAre();
  });

  for (const kind of ["react", "vue"]) {
    test(`shouldServeOneUserAfterTheOther by ${kind}`, async () => {
      await open(kind);
      await logIn("ann");
      await onlyUsersAre("ann");
      await logIn("bob");
      await onlyUsersAre("bob");
      await logOut();
      await onlyUsersAre();
      assert.equal((await page.textContent("body")).includes("0."), false);
      await logIn("ann");
      await onlyUsersAre("ann");
    });

    test(`shouldNotContinueWithTheTokenOfAnotherUser by ${kind}`, async () => {
      await open(kind);
      lifeMs = 5_000;
      await logIn("ann");
      await page.evaluate(() => {
        window.changes = [];
        window.client.on("identity-changed", (change) => window.changes.push(change));
      });
      // The cookie of another tab: the page does not notice it.
      user = "bob";
      await page.waitForFunction(() => window.changes.length === 1, undefined, WAIT);
      assert.deepEqual(await page.evaluate(() => window.changes), [{ from: "ann", to: "bob" }]);
      await onlyUsersAre("bob");
      await showsPrices();
    });

    test(`shouldEndAtALogoutElsewhere by ${kind}`, async () => {
      await open(kind);
      lifeMs = 5_000;
      await logIn("ann");
      user = undefined;
      await page.waitForFunction(() => window.client.state.status === "closed", undefined, WAIT);
      assert.equal(await page.evaluate(() => window.client.state.error.code), "logged-out");
      await onlyUsersAre();
    });
  }
});

/** Bundles the examples of the page for a node. */
async function bundle(kind, url) {
  const examples = snippetsOf(PAGE, ["ts", "tsx", "vue"]).map(({ language, code }) => ({
    language,
    code: code.replaceAll("wss://prices.example.com/ws", url),
  }));
  const [{ code: tokens }, { code: plain }] = examples;
  const react = examples.find(({ language }) => language === "tsx").code;
  const vue = examples.find(({ language }) => language === "vue").code;
  const contents = {
    plain: tokens + plain + MAINS.plain,
    react: tokens + react.replace("<Price />", "<><Price /><Using /></>") + MAINS.react,
    vue: tokens + mainOfVue(vue),
  };
  const { outputFiles } = await build({
    stdin: { contents: contents[kind], loader: "tsx", resolveDir: PACKAGE },
    bundle: true,
    format: "esm",
    jsx: "automatic",
    write: false,
    alias: {
      "@sluice/client": `${PACKAGE}dist/index.js`,
      "@sluice/client/react": `${PACKAGE}dist/react.js`,
      "@sluice/client/vue": `${PACKAGE}dist/vue.js`,
    },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0].text;
}

/** Returns the script of the component, and code that mounts it below one with its user. */
function mainOfVue(source) {
  const { descriptor } = parse(source, { filename: "Prices.vue" });
  const { content } = compileScript(descriptor, { id: "prices", inlineTemplate: true });
  return `${content.replace("export default", "const Prices =")}
    import { createApp, h as create, ref } from "vue";
    import { useSluice } from "@sluice/client/vue";
    const setup = Prices.setup;
    Prices.setup = (...given) => {
      const render = setup(...given);
      globalThis.client = useSluice();
      return render;
    };
    const userId = ref();
    const App = { render: () => (userId.value ? create(Prices, { userId: userId.value }) : null) };
    createApp(App).mount(document.body);
    globalThis.logIn = (user) => void (userId.value = user);
    globalThis.logOut = () => void (userId.value = undefined);`;
}
