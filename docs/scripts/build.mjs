// Builds the site into target/site and checks it. Does nothing if its sources have not changed.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { ADMIN_OPERATIONS_PAGE, generateAdminOperations } from "./admin-operations.mjs";
import { CHART_VALUES, CHART_VALUES_PAGE, generateChartValues } from "./chart-values.mjs";
import { problemsOf } from "./check-site.mjs";
import { generateMessages, MESSAGES_PAGE } from "./messages.mjs";
import { generateSdkReference, SDK_PAGES, SDK_SOURCES } from "./sdk.mjs";

const DOCS = fileURLToPath(new URL("..", import.meta.url));
const SITE = join(DOCS, "target", "site");
const STAMP = join(DOCS, "target", "site.sha256");
const EXCLUDED = new Set([".temp", "node_modules", "prose", "target"]);
const GENERATED = new Set([SDK_PAGES, MESSAGES_PAGE, ADMIN_OPERATIONS_PAGE, CHART_VALUES_PAGE]);
const BASE = process.env.SLUICE_DOCS_BASE ?? "/";

function sources(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !EXCLUDED.has(name))
    .sort()
    .map((name) => join(path, name))
    .filter((child) => !GENERATED.has(child))
    .flatMap(sources);
}

function stamp() {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([BASE, process.env.SLUICE_DOCS_SOURCES]));
  for (const path of [DOCS, CHART_VALUES, ...SDK_SOURCES].flatMap(sources)) {
    hash.update(`\n${relative(DOCS, path)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

const current = stamp();
if (existsSync(SITE) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === current) {
  process.exit(0);
}
rmSync(STAMP, { force: true });
generateSdkReference();
generateMessages();
generateAdminOperations();
generateChartValues();
process.env.NODE_ENV = "production";
await build(DOCS);
rmSync(join(DOCS, ".vitepress", ".temp"), { recursive: true, force: true });
const problems = problemsOf(SITE, BASE);
if (problems.length > 0) {
  console.error(problems.map((problem) => `docs: ${problem}`).join("\n"));
  process.exit(1);
}
mkdirSync(join(DOCS, "target"), { recursive: true });
writeFileSync(STAMP, current);
const pages = readdirSync(SITE, { recursive: true }).filter((name) => extname(name) === ".html");
console.log(`docs: ${pages.length} pages in ${relative(process.cwd(), SITE) || SITE}`);
// Vite's worker threads would keep the process for some more seconds.
process.exit(0);
