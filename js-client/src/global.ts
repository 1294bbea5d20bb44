// Members of the global `Sluice` of a script tag.
export * from "./index.js";
export { measureLatency } from "./latency.js";
export { watchStalls } from "./stall.js";
