// Runs the compiled tests: those with a DOM in a process each, because it is global and frameworks
// read it on import; all others in one process. Starting a process costs more than most tests.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const TESTS = "target/test/test";
const WITHOUT_DOM = join(TESTS, "without-dom.mjs");
const DOM = /^import .*"\.\/dom[a-z-]*\.js";$/m;

/** Returns the tests in a folder. */
function testsIn(folder, name = /\.test\.js$/) {
  return readdirSync(folder)
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));
}

const all = testsIn(TESTS);
const withDom = all.filter((file) => DOM.test(readFileSync(file, "utf8")));
const others = all.filter((file) => !withDom.includes(file));
writeFileSync(WITHOUT_DOM, others.map((file) => `import "./${basename(file)}";\n`).join(""));

const files = [
  WITHOUT_DOM,
  ...withDom,
  ...testsIn("target/react-18/test", /^react.*\.test\.js$/),
  ...testsIn("target/bundled"),
];
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
