// Compiles the client with the Hermes compiler of React Native without running it: node hermes.mjs
//
// Prints COMPILES, or a line that begins with NONE if there is no such compiler for this machine.
// Exit status 1 with the compiler's output if the compilation fails.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installRuntimes, RUNTIMES } from "./install-runtimes.mjs";

const FOLDERS = { linux: "linux64-bin", darwin: "osx-bin" };
const ENTRY = fileURLToPath(new URL("../dist/index.js", import.meta.url));

const compiler = join(
  RUNTIMES,
  "node_modules/hermes-compiler/hermesc",
  FOLDERS[process.platform] ?? "",
  "hermesc",
);
if (!installRuntimes()) console.log("NONE: npm cannot install it, see above");
else if (!existsSync(compiler)) console.log("NONE: its makers publish none for this machine");
else await compile();

async function compile() {
  const folder = mkdtempSync(join(tmpdir(), "sluice-hermes-"));
  try {
    const script = join(folder, "client.js");
    await build({
      entryPoints: [ENTRY],
      outfile: script,
      bundle: true,
      format: "iife",
      target: "es2022",
      // Same as React Native's Babel preset: Hermes supports private fields, but not these.
      supported: { "async-generator": false, "for-await": false },
    });
    const args = ["-w", "-emit-binary", "-out", join(folder, "client.hbc"), script];
    const { status, stderr, error } = spawnSync(compiler, args, { encoding: "utf8" });
    if (status === 0) console.log("COMPILES");
    else throw new Error(error ?? stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
