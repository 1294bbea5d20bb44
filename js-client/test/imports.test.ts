import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const SOURCES = "src/";
const IMPORT = /^(?:import|export)\s[^;]*?from "(\.[\w./-]+)\.js"/gm;

/** Returns the imports of each module, including type imports. */
function importGraph(): Map<string, string[]> {
  const all = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  const files = all.filter((file) => file.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const imports = readFileSync(SOURCES + file, "utf8").matchAll(IMPORT);
      const resolve = (path: string): string => join(dirname(file), path);
      return [file.replace(/\.ts$/, ""), [...imports].map(([, path]) => resolve(String(path)))];
    }),
  );
}

test("shouldHaveNoImportCycles", () => {
  const graph = importGraph();
  assert.ok(graph.size > 50 && (graph.get("client")?.length ?? 0) > 5, "the sources are read");
  const done = new Set<string>();
  const visit = (module: string, path: readonly string[]): void => {
    assert.ok(!path.includes(module), `import cycle: ${[...path, module].join(" -> ")}`);
    if (done.has(module)) return;
    for (const imported of graph.get(module) ?? []) visit(imported, [...path, module]);
    done.add(module);
  };
  for (const module of graph.keys()) visit(module, []);
});
