import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { runInThisContext } from "node:vm";

interface Packed {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly size: number;
}

interface Manifest {
  readonly sideEffects: readonly string[];
  readonly exports: Readonly<
    Record<string, string | Readonly<Record<"types" | "default", string>>>
  >;
  readonly unpkg: string;
  readonly jsdelivr: string;
}

const EXPECTED =
  /^(package\.json|README\.md|dist\/([a-z]+\/)?[a-z0-9-]+(\.global)?\.(js|js\.map|d\.ts))$/;
const MAX_BYTES = 800_000;

describe("package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

  // Requires a previous build: npm run build.
  test("shouldContainOnlyTheRequiredFiles", () => {
    const npm = process.env["npm_execpath"];
    const [command, ...args] = npm ? [process.execPath, npm] : ["npm"];
    const options = ["pack", "--dry-run", "--json", "--silent"];
    const [packed] = JSON.parse(
      execFileSync(command, [...args, ...options], { encoding: "utf8" }),
    ) as Packed[];
    assert.ok(packed);
    const paths = packed.files.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => !EXPECTED.test(path)),
      [],
    );
    for (const path of ["README.md", "dist/index.js", "dist/index.d.ts", "dist/index.js.map"]) {
      assert.ok(paths.includes(path), path);
    }
    assert.ok(packed.size < MAX_BYTES, String(packed.size));
  });

  for (const [name, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue;
    test(`shouldResolveWithTypes ${name}`, async () => {
      assert.ok(existsSync(target.types), target.types);
      const specifier = `@sluice/client${name.slice(1)}`;
      const resolved = import.meta.resolve(specifier);
      assert.ok(resolved.endsWith(target.default.slice(1)), resolved);
      // Script with side effects and without exports; it cannot run here.
      if (manifest.sideEffects.includes(target.default)) return;
      const exported = (await import(resolved)) as object;
      assert.ok(Object.keys(exported).length > 0);
    });
  }

  test("shouldDefineOneGlobalForAScriptTag", () => {
    assert.equal(manifest.unpkg, manifest.jsdelivr);
    const script = readFileSync(manifest.unpkg, "utf8");
    const sluice = runInThisContext(`${script}; Sluice`) as Record<string, unknown>;
    for (const name of ["connect", "SluiceError", "measureLatency", "watchStalls"]) {
      assert.equal(typeof sluice[name], "function", name);
    }
  });

  test("shouldNeedNothingOfNode", () => {
    const script = readFileSync(manifest.unpkg, "utf8");
    assert.doesNotMatch(script, /\brequire\(|"node:|\bprocess\./);
  });
});
