// Sizes of modules in a page, all bundled in the same way by esbuild.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * Returns the sizes of a module, minified and gzipped: its own with all static imports, and `all`
 * with the parts that are loaded when they are used.
 */
export async function bundleSize(contents, { resolveDir = ".", external = [] } = {}) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "target/size",
    write: false,
    metafile: true,
    external,
  });
  const [entry] = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === "<stdin>",
  );
  const textOf = (path) => outputFiles.find((file) => file.path.endsWith(path)).text;
  const text = [...filesOf(entry, metafile.outputs)].map(textOf).join("");
  const parts = filesOf(entry, metafile.outputs, ["import-statement", "dynamic-import"]);
  return {
    gzip: gzipped(text),
    all: gzipped([...parts].map(textOf).join("")),
  };
}

function gzipped(text) {
  return gzipSync(text, { level: 9 }).length;
}

/** Returns the file and its imports of these kinds; by default without dynamic ones. */
function filesOf(path, outputs, kinds = ["import-statement"], found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { kind, path: imported, external } of outputs[path].imports) {
    if (!external && kinds.includes(kind)) filesOf(imported, outputs, kinds, found);
  }
  return found;
}
