/**
 * Calls `run` when the signal is aborted, at once if it already is. The caller removes the
 * listener.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): void {
  if (signal?.aborted) run();
  else signal?.addEventListener("abort", run);
}
