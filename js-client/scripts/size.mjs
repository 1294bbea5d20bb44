// Prints the size of `import { connect } from "@sluice/client"` in a page: minified and gzipped,
// with all static imports. Fails above the limit. The size of `@sluice/client/jms` is printed for
// information; it contains `connect`.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const LIMIT = 12_288;

const core = await sizeOf('export { connect } from "./dist/index.js";');
console.log(`import { connect }: ${core} bytes, minified and gzipped, of at most ${LIMIT}`);
if (core > LIMIT) process.exitCode = 1;
const jms = await sizeOf('export { ConnectionFactory } from "./dist/jms.js";');
console.log(`import { ConnectionFactory }: ${jms} bytes`);

/** Returns the size of a module with its static imports. */
async function sizeOf(contents) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: "." },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "target/size",
    write: false,
    metafile: true,
  });
  const [entry] = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === "<stdin>",
  );
  const texts = [...filesOf(entry, metafile.outputs)].map(
    (path) => outputFiles.find((file) => file.path.endsWith(path)).text,
  );
  return gzipSync(texts.join(""), { level: 9 }).length;
}

/** Returns the file and its static imports; dynamic imports are not counted. */
function filesOf(path, outputs, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { kind, path: imported } of outputs[path].imports) {
    if (kind === "import-statement") filesOf(imported, outputs, found);
  }
  return found;
}
