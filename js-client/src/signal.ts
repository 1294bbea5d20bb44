import { check } from "./arguments.js";
import type { Undo } from "./emitter.js";

/** Throws unless `signal` is an AbortSignal or undefined. */
export function checkSignal(signal: AbortSignal | undefined): void {
  const isSignal = typeof signal?.addEventListener === "function";
  check(signal === undefined || isSignal, "signal", "an AbortSignal", signal);
}

/** Calls `run` when the signal is aborted, at once if it is; returns what takes that back. */
export function onAbort(signal: AbortSignal | undefined, run: () => void): Undo {
  if (signal?.aborted) run();
  signal?.addEventListener("abort", run);
  return () => signal?.removeEventListener("abort", run);
}
