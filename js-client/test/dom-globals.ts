// Globals that renderers of frameworks read on import, in addition to those of dom.ts.
import "./dom.js";

const names = ["Node", "Element", "HTMLElement", "SVGElement", "Text", "Comment", "Event"] as const;
for (const name of [...names, "CustomEvent", "DocumentFragment", "MutationObserver"]) {
  const value = (globalThis.window as unknown as Record<string, unknown>)[name];
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
