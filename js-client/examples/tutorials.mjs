// Checks of the tutorials in docs/tutorials, for examples.mjs. The files are those of the pages.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const WAIT = { timeout: 60_000, polling: 100 };
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const SCREEN = join(PACKAGE, "..", "docs", "tutorials", "trading-screen");
const BUILT_SCREEN = "target/tutorials/trading-screen";
const NODE_URL = "ws://localhost:8080/ws";
const STOCKS = 100;
const NARROW_PX = 360;

/**
 * Builds the trading screen for a node by the command of its package.json.
 *
 * @returns path of its page in the package
 */
export async function buildTradingScreen(nodeUrl) {
  const folder = join(PACKAGE, BUILT_SCREEN);
  await rm(folder, { recursive: true, force: true });
  await cp(SCREEN, folder, { recursive: true });
  const { scripts, dependencies, devDependencies } = await readJson(join(folder, "package.json"));
  await linkPackages(folder, { ...dependencies, ...devDependencies });
  const main = join(folder, "main.jsx");
  await writeFile(main, (await readFile(main, "utf8")).replace(NODE_URL, nodeUrl));
  const [command, ...options] = scripts.start.split(" ");
  const buildOptions = options.filter((option) => !option.startsWith("--serve"));
  await promisify(execFile)(binary(command), buildOptions, { cwd: folder });
  return `${BUILT_SCREEN}/index.html`;
}

async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}

/** Links the packages of the client, whose versions have to be those of the tutorial. */
async function linkPackages(folder, versions) {
  await mkdir(join(folder, "node_modules", "@sluice"), { recursive: true });
  await symlink(PACKAGE, join(folder, "node_modules", "@sluice", "client"));
  const { devDependencies } = await readJson(join(PACKAGE, "package.json"));
  for (const [name, version] of Object.entries(versions)) {
    if (version !== devDependencies[name]) {
      throw new Error(
        `docs/tutorials/trading-screen/package.json has ${name} ${version}; ` +
          `js-client/package.json has ${devDependencies[name]}`,
      );
    }
    await symlink(join(PACKAGE, "node_modules", name), join(folder, "node_modules", name));
  }
}

function binary(name) {
  return join(PACKAGE, "node_modules", ".bin", name);
}

/**
 * Checks that the trading screen shows prices, fits a narrow window, and marks prices after the feed
 * has stopped.
 *
 * @param stopFeed - Returns when the feed has stopped.
 */
export async function checkTradingScreen(page, address, stopFeed) {
  await page.goto(address);
  await until(page, "the screen is live", () => document.querySelector("[data-status=open]"));
  await until(
    page,
    "the screen shows all stocks, some of them current",
    (stocks) =>
      document.querySelectorAll("tbody tr").length === stocks &&
      document.querySelector("tbody tr:not(.stale)"),
    STOCKS,
  );
  const prices = await page.textContent("tbody");
  await until(
    page,
    "prices change",
    (before) => document.querySelector("tbody").textContent !== before,
    prices,
  );
  await page.setViewportSize({ width: NARROW_PX, height: 800 });
  await until(
    page,
    "the screen fits a narrow window",
    (width) => document.documentElement.scrollWidth <= width,
    NARROW_PX,
  );
  console.log("SCREEN SHOWS PRICES");
  await stopFeed();
  await until(
    page,
    "all prices are stale",
    (stocks) => document.querySelectorAll("tbody tr.stale").length === stocks,
    STOCKS,
  );
  console.log("SCREEN SHOWS STALE PRICES");
}

/**
 * Checks messages and permissions of the chat.
 *
 * @param newPage - Returns a page with separate cookies.
 * @returns the page of a member
 */
export async function checkChat(newPage, address) {
  const signIn = async (user) => {
    const page = await newPage();
    await page.goto(address);
    await page.fill("input[name=user]", user);
    await page.fill("input[name=password]", `${user}-1`);
    await page.click("#login button");
    await shows(page, "#state", "open");
    return page;
  };
  const [ann, bob, cid] = [await signIn("ann"), await signIn("bob"), await signIn("cid")];
  await say(ann, "Good morning");
  for (const page of [ann, bob, cid]) await shows(page, "#messages", "ann: Good morning");
  await say(bob, "Good morning, ann");
  await shows(ann, "#messages", "bob: Good morning, ann");
  console.log("CHAT SHOWS MESSAGES");

  await say(cid, "Hello");
  await shows(cid, "#error", "forbidden: ");
  const dan = await signIn("dan");
  await shows(dan, "#error", "forbidden: ");
  await ann.evaluate('client.publish("chat.lobby.bob", "I am bob").catch(show)');
  await shows(ann, "#error", "forbidden: ");
  await say(ann, "I am ann");
  await until(
    ann,
    "a successful publish clears the error",
    () => document.querySelector("#error").textContent === "",
  );
  console.log("CHAT SHOWS REFUSALS");

  for (const page of [bob, cid, dan]) await page.close();
  return ann;
}

/** Checks that a member of the chat gets another token, and then still sends and receives. */
export async function checkRenewal(page) {
  await until(
    page,
    "the token was renewed",
    () => !document.querySelector("#token").textContent.startsWith("number 1,"),
  );
  await say(page, "Still here");
  await shows(page, "#messages", "ann: Still here");
  console.log("CHAT RENEWS ITS TOKEN");
}

async function say(page, text) {
  await page.fill("input[name=text]", text);
  await page.click("#say button");
}

async function shows(page, selector, text) {
  await until(
    page,
    `${selector} shows "${text}"`,
    ([where, expected]) => document.querySelector(where).textContent.includes(expected),
    [selector, text],
  );
}

async function until(page, expectation, condition, argument) {
  try {
    await page.waitForFunction(condition, argument, WAIT);
  } catch (cause) {
    const text = await page.textContent("body");
    throw new Error(`${page.url()}: not fulfilled: ${expectation}; it shows: ${text}`, { cause });
  }
}
