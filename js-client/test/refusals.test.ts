import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { REMEDIES } from "../src/engine/explain.js";

/** Returns the codes in a column of the table that follows a line of a file below docs. */
function codes(file: string, line: string, column: number): readonly string[] {
  const [, section = ""] = readFileSync(`../docs/${file}`, "utf8").split(`\n${line}\n`);
  const [table = ""] = /^ *\|(?:.*\n *\|)*.*$/m.exec(section) ?? [];
  const cells = table.split("\n").map((row) => row.split("|")[column] ?? "");
  return cells
    .slice(2)
    .flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code ?? ""));
}

describe("refusals of the protocol", () => {
  test("shouldHaveARemedyForEachRefusedRequest", () => {
    assert.deepEqual(
      Object.keys(REMEDIES).sort(),
      [...codes("PROTOCOL.md", "### Refused requests", 2)].sort(),
    );
  });

  test("shouldDeclareEachErrorCode", () => {
    const source = readFileSync("src/engine/errors.ts", "utf8");
    const [union = ""] = /type NodeErrorCode =[^;]*;/.exec(source) ?? [];
    const declared = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code);
    assert.deepEqual(
      declared.sort(),
      [...codes("reference/asyncapi.yaml", "      name: error", 1)].sort(),
    );
  });
});
