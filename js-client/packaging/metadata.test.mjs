// Tests of the packed package: its manifest, its types, and modules that need a directive. Requires
// a previous build: npm run build.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pack, TARGET, unpack } from "./consumer.mjs";

const run = promisify(execFile);
const HERE = import.meta.dirname;
const FIRST_NODE_WITH_REQUIRE = [20, 19];
const IMPORT_OF_REACT = /^import [^;]*from "react";$/m;
/** Comments may precede a directive. */
const DIRECTIVE = /^(?:\s*\/\*.*?\*\/)*\s*"use client";/s;

describe("packed package", { concurrency: true }, () => {
  let tarball, folder, manifest;

  before(() => {
    tarball = pack(join(TARGET, "tarball-metadata"));
    folder = unpack(tarball, join(TARGET, "metadata"));
    manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  });

  test("shouldHaveAValidManifest", async () => {
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest, { color: false })),
      [],
    );
  });

  test("shouldHaveTypesInEveryModuleResolution", async () => {
    const attw = join(HERE, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
    // The package has only ES modules, see docs/adr/0027.
    const options = ["--ignore-rules", "cjs-resolves-to-esm", "--no-color", "--no-emoji"];
    await run(process.execPath, [attw, tarball, ...options]).catch(({ stdout, stderr }) => {
      assert.fail(stdout + stderr);
    });
  });

  test("shouldBeLoadableByRequire", { skip: !hasRequire() }, async () => {
    const names = Object.entries(manifest.exports)
      // Scripts with side effects need a worker.
      .filter(([, target]) => !manifest.sideEffects.includes(target.default))
      .map(([name]) => `@sluice/client${name.slice(1)}`);
    assert.ok(names.length > 10, names.join());
    const script = `for (const name of ${JSON.stringify(names)}) {
      if (Object.keys(require(name)).length === 0) throw new Error(name + " is empty");
    }`;
    await run(process.execPath, ["--input-type=commonjs", "--eval", script], {
      cwd: join(TARGET, "metadata"),
    });
  });

  test("shouldMarkModulesWithReactAsClientModules", () => {
    const dist = join(folder, "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
    const modules = files.filter(
      (file) =>
        file === "react.js" ||
        (file.endsWith(".js") && IMPORT_OF_REACT.test(readFileSync(join(dist, file), "utf8"))),
    );
    assert.ok(modules.length >= 3 && modules.includes("react.js"), modules.join());
    assert.deepEqual(
      modules.filter((file) => !DIRECTIVE.test(readFileSync(join(dist, file), "utf8"))),
      [],
    );
  });
});

/** Returns whether this version of Node can load ES modules by require(). */
function hasRequire() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = FIRST_NODE_WITH_REQUIRE;
  return (
    major > 22 || (major === leastMajor && minor >= leastMinor) || (major === 22 && minor >= 12)
  );
}
