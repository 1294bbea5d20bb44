// Runs a check of single files on those that changed in the working tree or the last commits; on all
// with SLUICE_FULL=true, and if the history is unknown.
// Usage: check-changed.mjs eslint|prettier [PATTERN...], by default the current folder.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";

const COMMITS = 100;
const CHECKS = {
  eslint: {
    options: ["--no-warn-ignored"],
    files: /\.(js|mjs|ts|tsx)$/,
  },
  prettier: {
    options: ["--check", "--log-level", "warn", "--ignore-unknown"],
    files: /./,
  },
};

const [name, ...patterns] = process.argv.slice(2);
if (patterns.length === 0) patterns.push(".");
const { options, files } = CHECKS[name];
const changed = process.env.SLUICE_FULL === "true" ? undefined : changedFiles();
const checked = changed?.filter((file) => files.test(file)) ?? patterns;
if (checked.length > 0) {
  const program = join("node_modules", ".bin", name);
  const { status } = spawnSync(process.execPath, [program, ...options, ...checked], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}

/** @returns paths from the current folder; undefined if there is no such history */
function changedFiles() {
  const root = git("rev-parse", "--show-toplevel")?.[0];
  const tracked = git("diff", "--name-only", `HEAD~${COMMITS}`, "--", ...patterns);
  const others = git(
    "ls-files",
    "--others",
    "--exclude-standard",
    "--full-name",
    "--",
    ...patterns,
  );
  if (!root || !tracked || !others) return undefined;
  return [...tracked, ...others]
    .map((file) => relative("", join(root, file)))
    .filter((file) => existsSync(file));
}

/** @returns lines of the output; undefined if the command fails */
function git(...args) {
  const env = { ...process.env, GIT_GLOB_PATHSPECS: "1" };
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8", env });
  return status === 0 ? stdout.split("\n").filter(Boolean) : undefined;
}
