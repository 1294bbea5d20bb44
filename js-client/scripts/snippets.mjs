// Writes the TypeScript examples of pages to target/snippets as modules, which are compiled with
// the tests. test/snippets.d.ts declares the names that belong to the reader's application.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const PAGES = [
  "README.md",
  ...[
    "sdk",
    "sdk-connection",
    "sdk-react",
    "test-your-app",
    "migrate-from-kaazing",
    "migrate-from-stomp",
    "migrate-from-socket-io",
  ].map((name) => `../docs/how-to/${name}.md`),
];
const FOLDER = "target/snippets";
const FENCE = /^```(tsx?)\n([\s\S]*?)^```$/gm;

mkdirSync(FOLDER, { recursive: true });
for (const page of PAGES) {
  const text = readFileSync(page, "utf8");
  for (const { index, 1: extension, 2: code } of text.matchAll(FENCE)) {
    const line = text.slice(0, index).split("\n").length;
    const file = `${basename(page, ".md").toLowerCase()}-${line}.${extension}`;
    writeFileSync(join(FOLDER, file), toModule(code));
  }
}

/** Exports all declarations, because the compiler rejects those that are not used. */
function toModule(code) {
  return `${code.replace(/^(?=(?:const|function) )/gm, "export ")}export {};\n`;
}
