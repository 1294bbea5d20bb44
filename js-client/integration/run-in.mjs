// Runs a script in Node, Deno or Bun: node run-in.mjs <runtime> <script> [<argument> …]
//
// Deno and Bun are npm packages with binaries, installed on first use: about 110 MB, including what
// hermes.mjs requires. Prints one line that begins with NONE if there is no such runtime for this
// machine. Otherwise output and exit status are those of the script.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installRuntimes, RUNTIMES } from "./install-runtimes.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const COMMANDS = {
  node: () => [process.execPath],
  // Network access is the only permission.
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

/** Returns the command of a runtime from an npm package. */
function inPackage(scope, path, ...options) {
  if (!installRuntimes()) return none("npm cannot install it, see above");
  // npm has installed only the package of the scope that matches this machine.
  const scoped = join(RUNTIMES, "node_modules", scope);
  if (!existsSync(scoped)) return none("its makers publish none for this machine");
  return [join(scoped, readdirSync(scoped)[0], path), ...options];
}

function none(why) {
  console.log(`NONE: ${why}`);
}
