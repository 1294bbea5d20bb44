// Removes the output of an earlier build, including that of deleted sources.
import { rmSync } from "node:fs";

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
