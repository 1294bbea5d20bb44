import type { Undo } from "./emitter.js";

// Node, Deno, Bun, React Native and workers each lack some of these.
const environment = globalThis as {
  readonly addEventListener?: EventTarget["addEventListener"];
  readonly document?: Document;
};

/**
 * Calls `onChange` when the network changes, and when the page is shown again, resumed, or restored
 * from the browser's cache. Does nothing on platforms without these events.
 */
export function watchPageLifecycle(onChange: () => void): Undo {
  const controller = new AbortController();
  const { document } = environment;
  const onEvent = (): void => {
    if (document?.visibilityState !== "hidden") onChange();
  };
  const listen = (target: typeof environment | undefined, names: string, run: () => void): void => {
    for (const name of names.split(" ")) {
      target?.addEventListener?.(name, run, { signal: controller.signal });
    }
  };
  listen(environment, "online offline pageshow", onChange);
  listen(document, "resume visibilitychange", onEvent);
  return () => {
    controller.abort();
  };
}
