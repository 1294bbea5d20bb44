import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { test } from "node:test";

const SOURCES = "src/";
const IMPORT = /^(?:import|export)\s[^;]*?from "(\.[\w./-]+)\.js"/gm;

/** Returns the imports of each module, including type imports. */
function importGraph(): Map<string, string[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => {
        const imports = readFileSync(SOURCES + file, "utf8").matchAll(IMPORT);
        const names = [...imports].map(([, name]) => posix.join(dirname(file), String(name)));
        return [file.replace(/\.ts$/, ""), names];
      }),
  );
}

test("shouldHaveNoImportCycles", () => {
  const graph = importGraph();
  assert.ok(
    graph.size > 50 && (graph.get("engine/client")?.length ?? 0) > 5,
    "the sources are read",
  );
  const done = new Set<string>();
  const visit = (module: string, path: readonly string[]): void => {
    assert.ok(!path.includes(module), `import cycle: ${[...path, module].join(" -> ")}`);
    if (done.has(module)) return;
    for (const imported of graph.get(module) ?? []) visit(imported, [...path, module]);
    done.add(module);
  };
  for (const module of graph.keys()) visit(module, []);
});

test("shouldBuildTheApiOfJmsOnThePublicApiOnly", () => {
  const modules = [...importGraph()].filter(([module]) => module.startsWith("jms/"));
  assert.ok(modules.length > 10, "the sources are read");
  const others = modules.flatMap(([, names]) => names.filter((name) => !name.startsWith("jms/")));
  assert.deepEqual([...new Set(others)], ["index"]);
});
