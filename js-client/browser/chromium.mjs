// Starts Chromium: that of the environment variable CHROMIUM, otherwise the one of an npm package,
// unpacked once into node_modules. The latter requires neither root nor system packages.
import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-dev-shm-usage",
  "--disable-sync",
  "--no-first-run",
];

/** @param options - More of playwright's. */
export async function launchChromium(options = {}) {
  const own = process.env.CHROMIUM;
  const installed = own ? { executablePath: own, env: {} } : await carriedChromium();
  const { executablePath, env } = installed;
  const surroundings = { ...process.env, ...env };
  return chromium.launch({ executablePath, args: FLAGS, env: surroundings, ...options });
}

async function carriedChromium() {
  const packageFolder = dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium")));
  const archives = join(packageFolder, "..", "..", "bin");
  const folder = join(archives, "..", "..", "..", ".cache", "chromium");
  if (!(await exists(folder))) await unpack(archives, folder);
  const executablePath = join(folder, "chromium");
  return { executablePath, env: environment(executablePath, folder) };
}

// Unpacked to a temporary folder and then renamed, so an interrupted run leaves no partial result.
async function unpack(archives, folder) {
  await mkdir(dirname(folder), { recursive: true });
  const staging = await mkdtemp(`${folder}-`);
  try {
    await inflate(join(archives, "chromium.br"), join(staging, "chromium"));
    await chmod(join(staging, "chromium"), 0o755);
    await inflateTar(join(archives, "fonts.tar.br"), staging);
    await inflateTar(join(archives, "al2023.tar.br"), staging);
    await writeFile(join(staging, "fonts.conf"), fontsConf(folder));
    await rename(staging, folder);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // A concurrent run may have created it.
    if (!(await exists(folder))) throw error;
  }
}

function fontsConf(folder) {
  const path = folder.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path}/fonts</dir>
  <cachedir>${path}/font-cache</cachedir>
</fontconfig>
`;
}

async function inflate(from, to) {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

async function inflateTar(from, folder) {
  const tar = join(folder, "archive.tar");
  await inflate(from, tar);
  const { status, stderr, error } = spawnSync("tar", ["-xf", tar, "-C", folder]);
  if (status !== 0) throw new Error(`tar cannot unpack ${from}: ${error ?? stderr}`);
  await rm(tar);
}

/**
 * The packaged fonts are always used, which makes screenshots reproducible; libraries on demand.
 */
function environment(executablePath, folder) {
  const fonts = { FONTCONFIG_FILE: join(folder, "fonts.conf") };
  if (spawnSync(executablePath, ["--version"]).status === 0) return fonts;
  return { ...fonts, LD_LIBRARY_PATH: join(folder, "lib") };
}

async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
