import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Where npm installs the runtimes and compilers besides Node. */
export const RUNTIMES = join(HERE, "runtimes");

/** Installs them unless they are there; returns whether they are. What npm says goes to stderr. */
export function installRuntimes() {
  const script = join(HERE, "..", "scripts", "install.sh");
  return spawnSync("sh", [script, RUNTIMES], { stdio: ["ignore", 2, 2] }).status === 0;
}
