// Writes dist/sluice.global.js: a single file for a script tag, with the global Sluice.
import { build } from "esbuild";

await build({
  entryPoints: ["src/global.ts"],
  outfile: "dist/sluice.global.js",
  bundle: true,
  minify: true,
  sourcemap: true,
  // The maps of the modules contain the sources.
  sourcesContent: false,
  format: "iife",
  globalName: "Sluice",
  target: "es2022",
  tsconfig: "tsconfig.json",
});
