// Checks of a bundler's output that need no browser.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const RELATIVE = /\b(?:from|import)\s*\(?\s*["'`](\.{1,2}\/[^"'`]+)["'`]/g;

/**
 * Fails if a file imports a missing one, or if there are fewer scripts than the least number: a
 * bundler that inlines dynamic imports enlarges the first request of a page.
 */
export function checkOutput(folder, leastScripts) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const scripts = files.filter((file) => /\.m?js$/.test(file));
  for (const script of scripts) {
    for (const [, imported] of readFileSync(join(folder, script), "utf8").matchAll(RELATIVE)) {
      const path = join(folder, dirname(script), imported);
      assert.ok(existsSync(path), `${script} imports ${imported}, which is missing`);
    }
  }
  const count = `${scripts.length} scripts instead of at least ${leastScripts} in ${folder}`;
  assert.ok(scripts.length >= leastScripts, count);
}
