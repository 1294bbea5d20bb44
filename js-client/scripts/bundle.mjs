// Writes dist/sluice.global.js: a single file for a script tag, with the global Sluice. It has no
// source map, which would be a quarter of the package; the modules have them.
import { build } from "esbuild";

await build({
  entryPoints: ["src/global.ts"],
  outfile: "dist/sluice.global.js",
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "Sluice",
  target: "es2022",
  tsconfig: "tsconfig.json",
});
