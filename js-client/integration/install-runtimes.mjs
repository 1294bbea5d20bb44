import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Folder in which npm installs the runtimes and compilers other than Node. */
export const RUNTIMES = join(HERE, "runtimes");

/**
 * Installs them unless present; returns whether they are available. npm's output goes to stderr.
 */
export function installRuntimes() {
  const script = join(HERE, "..", "scripts", "install.sh");
  return spawnSync("sh", [script, RUNTIMES], { stdio: ["ignore", 2, 2] }).status === 0;
}
