import type { Undo } from "./emitter.js";

// Node, Deno, Bun, React Native and workers lack some of these, each its own.
const surroundings = globalThis as {
  readonly addEventListener?: EventTarget["addEventListener"];
  readonly document?: Document;
  readonly navigator?: { readonly onLine?: boolean };
};

/** Whether the browser knows that there is no network. What it does not know is no. */
export function isOffline(): boolean {
  return surroundings.navigator?.onLine === false;
}

/**
 * Tells whenever the network came or went, or the page was brought back: shown again, thawed, or
 * taken from the browser's cache. Does nothing where there is no such thing.
 */
export function watchSurroundings(onChange: () => void): Undo {
  const controller = new AbortController();
  const { document } = surroundings;
  const onEvent = (): void => {
    if (document?.visibilityState !== "hidden") onChange();
  };
  const listen = (
    target: typeof surroundings | undefined,
    names: string,
    run: () => void,
  ): void => {
    for (const name of names.split(" ")) {
      target?.addEventListener?.(name, run, { signal: controller.signal });
    }
  };
  listen(surroundings, "online offline pageshow", onChange);
  listen(document, "resume visibilitychange", onEvent);
  return () => {
    controller.abort();
  };
}
