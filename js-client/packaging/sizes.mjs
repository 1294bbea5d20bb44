// Writes docs/reference/sdk-size.md: node packaging/sizes.mjs [sdk]
//
// Installs and measures all clients, which takes 50 MB; with the argument sdk only this SDK, whose
// results are compared with those of the last complete run. Requires a previous build.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleSize } from "../scripts/bundle-size.mjs";
import { install } from "./consumer.mjs";
import { CLIENTS, measureSdk, packageOf, PAGE, render, RESULTS, SIZES } from "./size-page.mjs";

if (process.argv[2] !== "sdk") {
  install(SIZES);
  writeFileSync(RESULTS, `${JSON.stringify(await measureClients(), null, 2)}\n`);
}
writeFileSync(PAGE, render(await measureSdk(), JSON.parse(readFileSync(RESULTS, "utf8"))));

async function measureClients() {
  const results = {};
  for (const [name, imported] of Object.entries(CLIENTS)) {
    const manifest = join(SIZES, "node_modules", packageOf(name), "package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8"));
    const sizes = await bundleSize(`export ${imported} from "${name}";`, { resolveDir: SIZES });
    results[name] = { version, ...sizes };
  }
  return results;
}
