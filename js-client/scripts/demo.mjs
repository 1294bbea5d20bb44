// Writes target/demo: the page of `sluice demo`, with the client, in few files.
import { cp, mkdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const SOURCE = "demo";
const FOLDER = "target/demo";

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
await build({
  entryPoints: {
    demo: `${SOURCE}/main.js`,
    "shared-worker": "dist/shared-worker.js",
  },
  outdir: FOLDER,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
});
await build({
  entryPoints: [`${SOURCE}/demo.css`],
  outdir: FOLDER,
  bundle: true,
  minify: true,
  target: "es2022",
});
for (const file of ["index.html", "favicon.svg"]) {
  await cp(`${SOURCE}/${file}`, `${FOLDER}/${file}`);
}
