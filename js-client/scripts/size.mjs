// Prints the size of `import { connect } from "@sluice/client"` in a page: minified and gzipped,
// with all static imports. Fails above the limit.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const LIMIT = 12_720;

const { metafile, outputFiles } = await build({
  stdin: { contents: 'export { connect } from "./dist/index.js";', resolveDir: "." },
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  outdir: "target/size",
  write: false,
  metafile: true,
});

/** Returns the file and its static imports; dynamic imports are not counted. */
function filesOf(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { kind, path: imported } of metafile.outputs[path].imports) {
    if (kind === "import-statement") filesOf(imported, found);
  }
  return found;
}

const [entry] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint);
const texts = [...filesOf(entry)].map(
  (path) => outputFiles.find((file) => file.path.endsWith(path)).text,
);
const { length } = gzipSync(texts.join(""), { level: 9 });
console.log(`import { connect }: ${length} bytes, minified and gzipped, of at most ${LIMIT}`);
if (length > LIMIT) process.exitCode = 1;
