import { check } from "./arguments.js";

/** Throws unless `signal` is an AbortSignal or undefined. */
export function checkSignal(signal: AbortSignal | undefined): void {
  const isSignal = typeof signal?.addEventListener === "function";
  check(signal === undefined || isSignal, "signal", "an AbortSignal", signal);
}

/**
 * Calls `run` when the signal is aborted, at once if it already is. The caller removes the
 * listener.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): void {
  if (signal?.aborted) run();
  else signal?.addEventListener("abort", run);
}
