import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const BINDINGS = ["vue", "svelte", "rxjs", "angular", "solid"];
const FRAMEWORKS = [
  "vue",
  "svelte",
  "svelte/reactivity",
  "svelte/store",
  "rxjs",
  "@angular/core",
  "solid-js",
];
const MAX_BYTES = 2_900;

/** Returns the size of these modules with their static imports, minified and gzipped. */
async function sizeOf(...modules: readonly string[]): Promise<number> {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: modules.map((name) => `export * from "./dist/${name}.js";`).join("\n"),
      resolveDir: ".",
    },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "target/size",
    write: false,
    metafile: true,
    external: FRAMEWORKS,
  });
  const files = new Set<string>();
  const add = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    for (const { kind, path: imported, external } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) add(imported);
    }
  };
  const entry = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === "<stdin>",
  );
  assert.ok(entry);
  add(entry[0]);
  const texts = [...files].map(
    (path) => outputFiles.find((file) => file.path.endsWith(path))?.text ?? "",
  );
  return gzipSync(texts.join(""), { level: 9 }).length;
}

// Requires a previous build: npm run build.
const core = await sizeOf("engine/connect");

for (const name of BINDINGS) {
  test(`shouldAddAtMost2900Bytes ${name}`, async (context) => {
    const added = (await sizeOf("engine/connect", name)) - core;
    context.diagnostic(`${name} adds ${String(added)} bytes`);
    assert.ok(added <= MAX_BYTES, `${name} adds ${String(added)} bytes`);
  });
}
