// Runs a script in Node, Deno or Bun: node run-in.mjs <runtime> <script> [<argument> …]
//
// Deno and Bun come in npm packages with the programs in them, which are installed here when they
// are first needed: some 110 MB to fetch, with what hermes.mjs needs. Prints one line that begins with NONE if there is no such
// runtime for this machine; otherwise it prints what the script does, and exits like it.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installRuntimes, RUNTIMES } from "./install-runtimes.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const COMMANDS = {
  node: () => [process.execPath],
  // May do nothing but connect.
  deno: () => inPackage("@deno", "deno", "run", "--no-config", "--no-lock", "--allow-net"),
  bun: () => inPackage("@oven", join("bin", "bun"), "run"),
};

const [runtime, script, ...rest] = process.argv.slice(2);
if (!(runtime in COMMANDS) || !script) {
  console.error("usage: node run-in.mjs node|deno|bun <script> [<argument> …]");
  process.exit(2);
}
const command = COMMANDS[runtime]();
if (command) run(...command, join(HERE, script), ...rest);

function run(file, ...args) {
  const child = spawn(file, args, { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill());
  child.on("exit", (status) => (process.exitCode = status ?? 1));
}

/** The command of a runtime that a package carries. */
function inPackage(scope, path, ...options) {
  if (!installRuntimes()) return none("npm cannot install it, see above");
  // Of the packages of its scope npm has chosen the one for this machine.
  const scoped = join(RUNTIMES, "node_modules", scope);
  if (!existsSync(scoped)) return none("its makers publish none for this machine");
  return [join(scoped, readdirSync(scoped)[0], path), ...options];
}

function none(why) {
  console.log(`NONE: ${why}`);
}
