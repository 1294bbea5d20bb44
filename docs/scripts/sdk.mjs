// Generates the pages of the SDK reference: TypeDoc's output for the JavaScript client.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLIENT = fileURLToPath(new URL("../../js-client", import.meta.url));

/** Folder of the generated pages, as configured in js-client/typedoc.json. */
export const SDK_PAGES = fileURLToPath(new URL("../reference/sdk", import.meta.url));

/** Files and folders that determine the pages. */
export const SDK_SOURCES = [
  "src",
  "scripts/typedoc-inherited.mjs",
  "package-lock.json",
  "tsconfig.base.json",
  "typedoc.json",
].map((name) => join(CLIENT, name));

/**
 * Replaces the generated pages; fails if an exported name is not documented. Installs the client's
 * packages if necessary: TypeDoc, and the browser that renders diagrams.
 */
export function generateSdkReference() {
  execFileSync("sh", [join(CLIENT, "scripts", "install.sh")], { stdio: "inherit" });
  const typedoc = join(CLIENT, "node_modules", "typedoc", "bin", "typedoc");
  execFileSync(process.execPath, [typedoc], { cwd: CLIENT, stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateSdkReference();
