import { Window } from "happy-dom";

/** The page's frames, which come only when a test says so: nothing is as hidden as this page. */
export class ManualFrames {
  #asked: (() => void)[] = [];

  constructor() {
    Object.assign(globalThis, {
      requestAnimationFrame: (run: () => void) => this.#asked.push(run),
    });
  }

  /** How many callbacks wait for a frame. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** Shows one frame. */
  show(): void {
    for (const run of this.#asked.splice(0)) run();
  }
}

// React looks for it when it is loaded, so this module has to be imported before it.
const window = new Window({ url: "http://localhost/" });
for (const [name, value] of Object.entries({
  window,
  document: window.document,
  navigator: window.navigator,
})) {
  // Defined, because later versions of Node have a navigator that cannot be assigned.
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
