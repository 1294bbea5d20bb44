// Prints the size of `import { connect } from "@sluice/client"` in a page: minified and gzipped,
// with all static imports; and what `@sluice/client/testing` adds to the client's modules without the
// parts that are loaded when they are used. Fails above the limits. The size of
// `@sluice/client/jms` is printed for information; it contains `connect`.
import { readdirSync } from "node:fs";
import { bundleSize } from "./bundle-size.mjs";

const LIMIT = 13_000;
const TESTING_LIMIT = 8_192;

const { gzip: core } = await bundleSize('export { connect } from "./dist/index.js";');
console.log(`import { connect }: ${core} bytes, minified and gzipped, of at most ${LIMIT}`);
if (core > LIMIT) process.exitCode = 1;
const { gzip: jms } = await bundleSize('export { ConnectionFactory } from "./dist/jms.js";');
console.log(`import { ConnectionFactory }: ${jms} bytes`);
const isClient = (file) => file.endsWith(".js") && !file.startsWith("testing");
const external = readdirSync("dist", { recursive: true })
  .filter(isClient)
  .map((file) => `./dist/${file}`);
const { gzip: testing } = await bundleSize('export * from "./dist/testing.js";', { external });
console.log(`@sluice/client/testing: ${testing} bytes, of at most ${TESTING_LIMIT}`);
if (testing > TESTING_LIMIT) process.exitCode = 1;
