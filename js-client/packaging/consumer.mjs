// The package as applications install it: packed by npm, and unpacked into a node_modules.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Folder of all output. */
export const TARGET = join(HERE, "target");

/** Packs the package as it was built; returns the path of the tarball. */
export function pack(folder = join(TARGET, "tarball")) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm ? [process.execPath, npm] : ["npm"];
  const options = ["--silent", "--pack-destination", folder];
  const cwd = { cwd: PACKAGE, encoding: "utf8" };
  return join(folder, execFileSync(command, [...args, "pack", ...options], cwd).trim());
}

/** Unpacks the tarball into the folder's node_modules; returns the path of the package. */
export function unpack(tarball, folder) {
  const unpacked = join(folder, "node_modules", "@sluice", "client");
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
  return unpacked;
}

/** Creates an application in the folder from its sources and the tarball. */
export function createConsumer(folder, sources, tarball) {
  rmSync(folder, { recursive: true, force: true });
  cpSync(sources, folder, { recursive: true });
  unpack(tarball, folder);
  return folder;
}

/** Installs the pinned packages of a folder, unless present. */
export function install(folder) {
  const script = join(PACKAGE, "scripts", "install.sh");
  execFileSync("sh", [script, folder], { stdio: ["ignore", 2, 2] });
}
