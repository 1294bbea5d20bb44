// Bundles the tests in test/bundled to target/bundled, with compiled Svelte components. Those of a
// page get the frameworks' modules for browsers, which Node would not choose.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { compile } from "svelte/compiler";

/** Returns a plugin that compiles Svelte components for a browser or a server. */
function svelte(generate) {
  return {
    name: "svelte",
    setup(builder) {
      builder.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
        const { js } = compile(await readFile(path, "utf8"), { filename: path, generate });
        return { contents: js.code };
      });
    },
  };
}

const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "es2022",
  outdir: "target/bundled",
  tsconfig: "tsconfig.test.json",
  // The package has no side effects, but the globals of the tests are some.
  ignoreAnnotations: true,
};

await build({
  ...OPTIONS,
  entryPoints: ["test/bundled/svelte.test.ts", "test/bundled/solid.test.ts"],
  conditions: ["browser"],
  external: ["ws", "happy-dom"],
  plugins: [svelte("client")],
});

await build({
  ...OPTIONS,
  entryPoints: ["test/bundled/server.test.ts"],
  external: ["ws", "vue", "vue/server-renderer"],
  plugins: [svelte("server")],
});
