import assert from "node:assert/strict";
import { test } from "node:test";
import { lint } from "./lint.mjs";

async function findings(name, text) {
  const messages = await lint(name, text);
  return messages.map(({ line, column, ruleId }) => `${line}:${column} ${ruleId}`);
}

test("should report a statement that begins with a question word", async () => {
  assert.deepEqual(await findings("a.md", "Good.\n\nIt runs. What it does is clear.\n"), [
    "3:10 sentence-start",
  ]);
  assert.deepEqual(await findings("a.md", "What does it do? It runs.\n"), []);
  assert.deepEqual(await findings("a.md", "# What does it do?\n"), ["1:3 sentence-start"]);
  assert.deepEqual(await findings("a.md", "# How-to guides\n"), []);
});

test("should report sentences of more than 30 words", async () => {
  const words = (count) => Array(count).fill("word").join(" ");
  assert.deepEqual(await findings("a.md", `${words(30)}. ${words(30)}.\n`), []);
  assert.deepEqual(await findings("a.md", `${words(31)}.\n`), ["1:1 sentence-length"]);
  assert.deepEqual(await findings("a.md", `${words(29)} \`${words(9)}\`.\n`), []);
});

test("should report words of the list, but not in code", async () => {
  assert.deepEqual(await findings("a.md", "A node tells `who tells`.\n"), ["1:8 terms"]);
  assert.deepEqual(await findings("a.md", "```\nA node tells it.\n```\n"), []);
  assert.deepEqual(await findings("a.md", "| a |\n|---|\n| A node tells it |\n"), ["3:10 terms"]);
});

test("should report words of comments in Java at their positions", async () => {
  const source = [
    "/** Which client it is. What {@code tells} it. */",
    'class A { // hears "it"',
    '  String text = "/* tells */ // tells";',
    "  /**",
    "   * Returns {@link B tells}.",
    "   *",
    "   * @param name which name",
    "   *     it tells",
    "   */",
    "}",
  ].join("\n");
  assert.deepEqual(await findings("A.java", source), [
    "1:5 sentence-start",
    "1:25 sentence-start",
    "2:14 terms",
    "5:23 terms",
    "8:13 terms",
  ]);
});

test("should read comments of consecutive lines in TypeScript as one", async () => {
  const source = "const a = /['\"`]/;\n// Sends it. A node\n// tells it.\nconst b = `// tells`;\n";
  assert.deepEqual(await findings("a.ts", source), ["3:4 terms"]);
});
