// Checks the prose of pages and comments. A file may have as many findings as baseline.json allows.
// All documents together have at most MAX_WORDS.
//
//   check.mjs                   fails if a file has more findings than the baseline allows, or
//                               the documents more words
//   check.mjs --list [PATH]...  prints all findings, or those below paths of the repository
//   check.mjs --write-baseline  writes the current numbers of findings
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { lint } from "./lint.mjs";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const BASELINE = fileURLToPath(new URL("baseline.json", import.meta.url));
const UPDATE = "cd docs && npm run prose:baseline";

/** Limit for all documents except generated ones. */
const MAX_WORDS = 60_000;

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs",
  "helm/sluice/README.md",
  "clients/dotnet/README.md",
  "clients/java/README.md",
  "clients/python/README.md",
  "clients/swift/README.md",
  "js-client/README.md",
];
const SOURCES = [
  "clients/java/src/main/java",
  "cluster/src/main/java",
  "gateway/admin/console/src",
  "gateway/src/main/java",
  ...readdirSync(join(REPOSITORY, "gateway"))
    .map((module) => `gateway/${module}/src/main/java`)
    .filter((folder) => existsSync(join(REPOSITORY, folder))),
  "js-client/src",
  "loadtest/gatling/src/main/java",
  "loadtest/src/main/java",
  "loadtest/journal-stores/src/main/java",
];
const SKIPPED = new Set(["node_modules", "target", "dist"]);
const GENERATED = new Set([
  "docs/reference/sdk",
  "docs/reference/sdk-size.md",
  "docs/reference/messages.md",
  "docs/reference/admin-operations.md",
  "docs/reference/chart-values.md",
]);
const CHECKED = new Set([".md", ".java", ".ts", ".tsx"]);

function filesBelow(path) {
  const absolute = join(REPOSITORY, path);
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .flatMap((entry) => {
      const child = posix.join(path, entry.name);
      if (GENERATED.has(child)) return [];
      if (entry.isDirectory()) return filesBelow(child);
      return CHECKED.has(extname(entry.name)) ? [child] : [];
    });
}

/** Returns all documents below a folder, also those whose prose is not checked. */
function documentsBelow(path) {
  return readdirSync(join(REPOSITORY, path), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name) && !name.startsWith("."))
    .flatMap((entry) => {
      const child = posix.join(path, entry.name);
      if (GENERATED.has(child)) return [];
      if (entry.isDirectory()) return documentsBelow(child);
      return extname(entry.name) === ".md" ? [child] : [];
    });
}

function countWords() {
  const words = documentsBelow("")
    .map((file) => readFileSync(join(REPOSITORY, file), "utf8").trim().split(/\s+/).length)
    .reduce((sum, number) => sum + number, 0);
  if (words > MAX_WORDS) {
    process.exitCode = 1;
    console.error(`prose: the documents have ${words} words; allowed are ${MAX_WORDS}`);
  }
}

async function findingsOf(file) {
  const text = readFileSync(join(REPOSITORY, file), "utf8");
  const messages = await lint(file, text);
  return messages.map(({ line, ruleId, message }) => `${file}:${line}: ${ruleId}: ${message}`);
}

async function allFindings(files) {
  const findings = new Map();
  for (const file of files) findings.set(file, await findingsOf(file));
  return findings;
}

function list(findings) {
  for (const line of [...findings.values()].flat()) console.log(line);
  console.log(`${[...findings.values()].flat().length} findings`);
}

function writeBaseline(findings) {
  const numbers = [...findings]
    .filter(([, lines]) => lines.length > 0)
    .map(([file, lines]) => [file, lines.length])
    .sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(BASELINE, `${JSON.stringify(Object.fromEntries(numbers), null, 2)}\n`);
  const total = numbers.reduce((sum, [, number]) => sum + number, 0);
  console.log(`prose: ${total} findings in ${numbers.length} files are allowed`);
}

/** Fails for files with more findings than allowed, and names the command that lowers the others. */
function compare(findings) {
  const allowed = JSON.parse(readFileSync(BASELINE, "utf8"));
  let lowerable = Object.keys(allowed).filter((file) => !findings.has(file)).length;
  for (const [file, lines] of findings) {
    const limit = allowed[file] ?? 0;
    if (lines.length > limit) {
      process.exitCode = 1;
      console.error(`prose: ${file} has ${lines.length} findings; allowed are ${limit}`);
      for (const line of lines) console.error(`  ${line}`);
    } else if (lines.length < limit) {
      lowerable++;
    }
  }
  if (lowerable > 0) {
    console.log(`prose: ${lowerable} files have fewer findings than allowed; run: ${UPDATE}`);
  }
}

const [mode, ...paths] = process.argv.slice(2);
const roots = paths.length > 0 ? paths : [...PAGES, ...SOURCES];
const files = roots
  .map((path) => relative(REPOSITORY, join(process.env.INIT_CWD ?? process.cwd(), path)))
  .map((path) => path.split(sep).join(posix.sep));
const findings = await allFindings((paths.length > 0 ? files : roots).flatMap(filesBelow).sort());
if (mode === "--list") list(findings);
else if (mode === "--write-baseline") writeBaseline(findings);
else {
  compare(findings);
  if (paths.length === 0) countWords();
}
