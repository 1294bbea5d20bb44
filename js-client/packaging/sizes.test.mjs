// Tests of the page with the sizes of clients. Requires a previous build: npm run build.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { measureSdk, packageOf, PAGE, parse, render, RESULTS, SIZES } from "./size-page.mjs";

const TOLERANCE = 0.03;
const TOLERANCE_BYTES = 64;
const HINT = "write the page with: cd js-client && npm run build && npm run sizes -- sdk";

describe("page of sizes", () => {
  const page = readFileSync(PAGE, "utf8");
  const clients = JSON.parse(readFileSync(RESULTS, "utf8"));
  const shown = parse(page);

  test("shouldShowTheSizesOfTheSdk", async () => {
    const { connect, entries } = await measureSdk();
    assert.deepEqual(Object.keys(shown.entries), Object.keys(entries), HINT);
    const pairs = { ...rename(connect), ...entries };
    const shownPairs = { ...rename(shown.connect), ...shown.entries };
    for (const [name, bytes] of Object.entries(pairs)) {
      const difference = Math.abs(bytes - shownPairs[name]);
      const isClose = difference <= Math.max(TOLERANCE_BYTES, bytes * TOLERANCE);
      assert.ok(isClose, `${name} has ${bytes} B, the page ${shownPairs[name]} B; ${HINT}`);
    }
  });

  test("shouldShowTheSizesOfThePinnedClients", () => {
    assert.equal(page, render(shown, clients), HINT);
    const { devDependencies } = JSON.parse(readFileSync(join(SIZES, "package.json"), "utf8"));
    const versions = Object.entries(clients).map(([name, { version }]) => [
      packageOf(name),
      version,
    ]);
    assert.deepEqual(Object.fromEntries(versions), devDependencies, "write it with: npm run sizes");
  });
});

function rename(sizes) {
  return Object.fromEntries(
    Object.entries(sizes).map(([key, bytes]) => [`connect, ${key}`, bytes]),
  );
}
