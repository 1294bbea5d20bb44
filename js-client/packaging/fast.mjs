// Bundlers of the default build: each function bundles an application for browsers.
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import * as rollup from "rollup";
import webpack from "webpack";

const ENTRIES = ["main", "worker"];

/** Chunks of the package that are loaded when they are used, and the application's two scripts. */
const LEAST_SCRIPTS = 10;

export const BUNDLERS = {
  esbuild: { modules: ["esbuild"], bundle: withEsbuild, leastScripts: LEAST_SCRIPTS },
  rollup: {
    modules: ["rollup", "@rollup/plugin-node-resolve"],
    bundle: withRollup,
    leastScripts: LEAST_SCRIPTS,
  },
  vite: { modules: ["vite"], bundle: withVite, leastScripts: LEAST_SCRIPTS },
  webpack: { modules: ["webpack"], bundle: withWebpack, leastScripts: LEAST_SCRIPTS },
};

async function withEsbuild(app, out) {
  await esbuild.build({
    entryPoints: ENTRIES.map((name) => join(app, `${name}.js`)),
    outdir: out,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    logLevel: "warning",
  });
  await cp(join(app, "index.html"), join(out, "index.html"));
}

async function withRollup(app, out) {
  const bundle = await rollup.rollup({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(app, `${name}.js`)])),
    plugins: [nodeResolve({ browser: true })],
    onwarn: fail,
  });
  await bundle.write({ dir: out, format: "es" });
  await bundle.close();
  await cp(join(app, "index.html"), join(out, "index.html"));
}

/** Vite is loaded late, as it requires a later version of Node than the build. */
async function withVite(app, out) {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: app,
    base: "./",
    logLevel: "warn",
    build: { outDir: out, emptyOutDir: true },
    // Vite's default format puts all parts of the worker into one file.
    worker: { format: "es" },
  });
}

async function withWebpack(app, out) {
  const stats = await promisify(webpack)({
    mode: "production",
    context: app,
    entry: "./main.js",
    output: { path: out, filename: "main.js" },
    // Minifying takes most of the time, and other bundlers' output is minified.
    optimization: { minimize: false },
  });
  if (stats.hasErrors() || stats.hasWarnings()) fail(stats.toString("errors-warnings"));
  const page = await readFile(join(app, "index.html"), "utf8");
  await writeFile(join(out, "index.html"), page.replace('type="module"', "defer"));
}

function fail(warning) {
  throw new Error(warning.message ?? warning);
}
