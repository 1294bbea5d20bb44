// Writes target/web: the client as files that every node serves, with compressed variants.
//
//   sluice.js, sluice.global.js    the module and the file for a script tag; stable names
//   client/NAME-HASH.js            the same and the module's parts, whose content never changes
//   sluice.json                    versioned names and values for the attribute integrity
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "esbuild";

const FOLDER = "target/web";
const PARTS = "client";
/** Smaller files are not compressed. */
const MIN_BYTES = 512;
const HASH_DIGITS = 16;

const module = { entryPoints: { sluice: "src/index.ts" }, format: "esm", splitting: true };
const script = {
  entryPoints: { "sluice.global": "src/global.ts" },
  format: "iife",
  globalName: "Sluice",
};

await rm(FOLDER, { recursive: true, force: true });
await mkdir(join(FOLDER, PARTS), { recursive: true });
const { version } = JSON.parse(await readFile("package.json", "utf8"));
const files = {};
for (const [kind, options] of Object.entries({ module, script })) {
  await bundle({ ...options, entryNames: "[name]" });
  files[kind] = await addVersioned(options);
}
await writeFile(join(FOLDER, "sluice.json"), JSON.stringify({ version, ...files }, null, 2));
for (const folder of [FOLDER, join(FOLDER, PARTS)]) await compressAll(folder);

async function bundle(options) {
  return build({
    ...options,
    chunkNames: `${PARTS}/[name]-[hash]`,
    outdir: FOLDER,
    bundle: true,
    minify: true,
    target: "es2022",
    tsconfig: "tsconfig.json",
    metafile: true,
  });
}

/** Writes an entry under a name with the hash of its content; returns name and integrity. */
async function addVersioned(options) {
  const [[name, source]] = Object.entries(options.entryPoints);
  const { metafile } = await bundle({ ...options, entryNames: `${PARTS}/[name]` });
  // Parts that are loaded later are entry points, too.
  const isEntry = (path) => metafile.outputs[path].entryPoint === source;
  const written = Object.keys(metafile.outputs).find(isEntry);
  const content = await readFile(written);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, HASH_DIGITS);
  const path = `${PARTS}/${name}-${hash}.js`;
  await rm(written);
  await writeFile(join(FOLDER, path), content);
  return {
    path: `/${path}`,
    integrity: `sha384-${createHash("sha384").update(content).digest("base64")}`,
  };
}

async function compressAll(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    const content = await readFile(path);
    if (content.length < MIN_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}
