// Prints the size of `import { connect } from "@sluice/client"` in a page: minified and gzipped,
// with all static imports. Fails above the limit. The size of `@sluice/client/jms` is printed for
// information; it contains `connect`.
import { bundleSize } from "./bundle-size.mjs";

const LIMIT = 12_288;

const { gzip: core } = await bundleSize('export { connect } from "./dist/index.js";');
console.log(`import { connect }: ${core} bytes, minified and gzipped, of at most ${LIMIT}`);
if (core > LIMIT) process.exitCode = 1;
const { gzip: jms } = await bundleSize('export { ConnectionFactory } from "./dist/jms.js";');
console.log(`import { ConnectionFactory }: ${jms} bytes`);
