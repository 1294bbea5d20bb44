import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCES = "src/";
const IMPORT = /^(?:import|export)\s[^;]*?from "\.\/([\w-]+)\.js"/gm;

/** Returns the imports of each module, including type imports. */
function importGraph(): Map<string, string[]> {
  const files = readdirSync(SOURCES).filter((file) => file.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const imports = readFileSync(SOURCES + file, "utf8").matchAll(IMPORT);
      return [file.replace(/\.ts$/, ""), [...imports].map(([, name]) => String(name))];
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
