// Replaces the package in the code examples that snippets.mjs runs.
export * from "../dist/index.js";
export const connect = (url, options) => globalThis.sluiceConnect(url, options);
