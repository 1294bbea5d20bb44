// Runs the conformance suite of Durable Streams against a node: node conformance.mjs URL
// Every case that declined.json does not list has to pass. Prints the number of cases of each kind.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startWriter } from "./writer.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TARGET = join(HERE, "target");
const SUITE = "suite.test.mjs";

/** Returns declined.json as pairs of a name and its reason. The name may be that of a whole group. */
function declined() {
  const parts = JSON.parse(readFileSync(join(HERE, "declined.json"), "utf8"));
  return parts.flatMap(({ reason, cases }) => cases.map((name) => [name, reason]));
}

/** Returns the reason for each declined case among all cases. */
function reasonsOf(cases) {
  const reasons = new Map();
  for (const [name, reason] of declined()) {
    const covered = cases.filter((each) => each === name || each.startsWith(`${name} > `));
    if (covered.length === 0) {
      throw new Error(`declined.json: no case "${name}"`);
    }
    covered.filter((each) => !reasons.has(each)).forEach((each) => reasons.set(each, reason));
  }
  return reasons;
}

/** Returns a pattern that no declined case matches. */
function pattern() {
  const names = declined().map(([name]) =>
    name.replaceAll(" > ", " ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return `^(?!(?:${names.join("|")})(?: |$))`;
}

async function main(node) {
  mkdirSync(TARGET, { recursive: true });
  const writer = await startWriter(node);
  try {
    return report(await run(writer.url));
  } finally {
    writer.close();
  }
}

/** Returns the result of each case by its name; declined ones are skipped. */
async function run(url) {
  const file = join(TARGET, "results.json");
  const child = spawn(
    process.execPath,
    [
      join(HERE, "node_modules", "vitest", "vitest.mjs"),
      ...["run", SUITE, "--testTimeout=60000", "--reporter=json", `--outputFile=${file}`],
      ...["--testNamePattern", pattern()],
    ],
    { cwd: HERE, env: { ...process.env, STREAMS_URL: url }, stdio: ["ignore", 2, 2] },
  );
  await new Promise((resolve) => child.on("exit", resolve));
  const results = JSON.parse(readFileSync(file, "utf8")).testResults.flatMap(
    (each) => each.assertionResults,
  );
  return new Map(results.map((each) => [[...each.ancestorTitles, each.title].join(" > "), each]));
}

/** Returns whether the suite itself skips a case, which the pattern does not exclude. */
function isSkippedBySuite({ status, fullName }) {
  return status === "skipped" && new RegExp(pattern()).test(fullName);
}

function report(results) {
  const cases = [...results.keys()];
  const declined = reasonsOf(cases);
  const expected = cases.filter(
    (each) => !declined.has(each) && !isSkippedBySuite(results.get(each)),
  );
  const failed = expected.filter((each) => results.get(each).status !== "passed");
  console.log(`PASSED ${expected.length - failed.length}`);
  const reasons = [...declined.values()];
  for (const reason of new Set(reasons)) {
    console.log(`DECLINED ${reasons.filter((each) => each === reason).length} ${reason}`);
  }
  for (const name of failed) {
    const message = results.get(name).failureMessages?.[0] ?? "not run";
    console.log(`FAILED ${name}: ${message.split("\n").slice(0, 3).join(" ")}`);
  }
  return failed.length === 0;
}

process.exitCode = (await main(process.argv[2])) ? 0 : 1;
