// Bundlers and runtimes of the profile bundlers: each function bundles an application.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installRuntimes, RUNTIMES } from "../integration/install-runtimes.mjs";
import { receiveInReactNative } from "./react-native.mjs";

const HEAVY = fileURLToPath(new URL("heavy", import.meta.url));
const LEAST_SCRIPTS = 10;
const LIMIT_MS = 300_000;

export const BUNDLERS = {
  angular: {
    modules: ["@angular/build", "@angular/core"],
    sources: "angular",
    bundle: withAngular,
    leastScripts: LEAST_SCRIPTS,
  },
  bun: { modules: ["bun"], home: RUNTIMES, bundle: withBun, leastScripts: LEAST_SCRIPTS },
  deno: {
    modules: ["deno"],
    home: RUNTIMES,
    sources: "deno",
    bundle: forDeno,
    leastScripts: 1,
    receive: receiveInDeno,
  },
  metro: {
    modules: ["metro", "@react-native/babel-preset"],
    sources: "metro",
    bundle: withMetro,
    leastScripts: 1,
    receive: receiveInReactNative,
  },
  next: {
    modules: ["next", "react"],
    sources: "next",
    bundle: withNext,
    leastScripts: LEAST_SCRIPTS,
  },
  parcel: { modules: ["parcel"], bundle: withParcel, leastScripts: LEAST_SCRIPTS },
};

if (!installRuntimes()) throw new Error("npm cannot install Deno and Bun, see above");

async function withAngular(app, out) {
  await run(app, "@angular/cli/bin/ng.js", ["build"], { NG_CLI_ANALYTICS: "false" });
  await cp(join(app, "dist", "browser"), out, { recursive: true });
}

async function withBun(app, out) {
  const options = ["--outdir", out, "--splitting", "--minify", "--target", "browser"];
  await execute(binary("@oven", "bin", "bun"), ["build", "main.js", "worker.js", ...options], app);
  await cp(join(app, "index.html"), join(out, "index.html"));
}

/** Deno bundles nothing: it runs the application with the installed package. */
async function forDeno(app, out) {
  await cp(app, out, { recursive: true });
}

async function receiveInDeno(out, { url, topic }) {
  const options = ["run", "--no-lock", "--node-modules-dir=manual", "--allow-net"];
  await execute(binary("@deno", "deno"), [...options, "main.mjs", url, topic], out);
}

async function withMetro(app, out) {
  const { loadConfig, runBuild } = createRequire(join(HEAVY, "package.json"))("metro");
  const config = await loadConfig({ cwd: app, config: join(app, "metro.config.cjs") });
  const { code } = await runBuild(config, { entry: "main.js", dev: false, minify: true });
  await mkdir(out, { recursive: true });
  await writeFile(join(out, "main.js"), code);
}

async function withNext(app, out, { url, topic }) {
  const settings = { SLUICE_URL: url, SLUICE_TOPIC: topic, NEXT_TELEMETRY_DISABLED: "1" };
  await run(app, "next/dist/bin/next", ["build"], settings);
  await cp(join(app, "out"), out, { recursive: true });
}

async function withParcel(app, out) {
  const options = ["--dist-dir", out, "--public-url", "./", "--no-cache", "--no-source-maps"];
  await run(app, "parcel/lib/bin.js", ["build", "index.html", ...options]);
}

/** Runs a script of a package in the application's folder. */
function run(app, script, options, environment = {}) {
  const path = join(HEAVY, "node_modules", script);
  return execute(process.execPath, [path, ...options], app, environment);
}

/** Runs a program, while messages are published by this process. Its output goes to stderr. */
async function execute(file, options, cwd, environment = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn(file, options, { cwd, env, stdio: ["ignore", 2, 2], timeout: LIMIT_MS });
  const [status, signal] = await once(child, "exit");
  if (status !== 0)
    throw new Error(`${basename(file)} ${options[0]} ended with ${status ?? signal}`);
}

/** Returns the binary of the only package of a scope, which is that for this machine. */
function binary(scope, ...path) {
  const scoped = join(RUNTIMES, "node_modules", scope);
  return join(scoped, readdirSync(scoped)[0], ...path);
}
