// What a script tag gets as `Sluice`.
export * from "./index.js";
export { measureLatency } from "./latency.js";
export { watchStalls } from "./stall.js";
