import { join } from "node:path";

// Folder with the node_modules of the bundler.
const HOME = join(import.meta.dirname, "..", "..", "..");

export default { output: "export", turbopack: { root: HOME } };
